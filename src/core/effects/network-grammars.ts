/** Reads words of dig and lsof that may name a host. */
import type { Word } from '../reading/reading.ts';
import { because } from '../reasons/reason.ts';
import type { CommandContext } from './command-context.ts';
import { hostMeaning } from './host-meaning.ts';
import { pathOfText } from './known-path.ts';
import { type Meaning, NOTHING, opaqueMeaning, resourceMeaning } from './meaning.ts';

/**
 * Harmless switches, by their full names. dig also accepts abbreviated names, but here an abbreviated name is opaque. Some other switches
 * name files (`+tls-ca=FILE`).
 */
const DIG_SWITCHES: ReadonlySet<string> = new Set(
  `short answer all cmd comments question stats authority additional multiline tcp vc recurse rdflag dnssec search ignore
  identify ttlid ttlunits crypto class qr cdflag adflag aaflag nsid rrcomments onesoa keepopen edns expire fail besteffort
  badcookie cookie unknownformat`.split(/\s+/),
);
const DIG_NUMBERS = /^\+(?:time|timeout|tries|retry|bufsize|ndots|split|edns|qid|padding)=\d+$/;
const DIG_TYPES =
  /^(?:a|aaaa|any|axfr|caa|cname|dnskey|ds|hinfo|https|loc|mx|naptr|ns|nsec|ptr|rrsig|soa|spf|srv|svcb|tlsa|txt|in|ch|hs)$/i;

/** With `+trace` or `+nssearch`, dig contacts servers that the answers name. Before dig runs, these servers are not known. */
const followsServers: Meaning = {
  resources: [],
  does: 'Asks name servers, one after another, as their answers direct.',
};

/** @param needsName whether one of the words must be the name to ask for; false if an option gives that name */
export function readDigWords(words: readonly Word[], needsName: boolean): Meaning {
  const meanings = words.map(readDigWord);
  const opaque = meanings.find((each) => each.opaque !== undefined);
  if (opaque !== undefined) return opaque;
  const hasName = words.some((word) => word.kind === 'literal' && isDigName(word.value));
  if (needsName && !hasName) return opaqueMeaning(because('too-few-operands'));
  const does = meanings.find((each) => each.does !== undefined)?.does;
  const resources = meanings.flatMap((each) => each.resources);
  return does === undefined ? { resources } : { resources, does };
}

const isDigName = (value: string): boolean => !/^[@+]/.test(value) && !DIG_TYPES.test(value);

function readDigWord(word: Word): Meaning {
  if (word.kind !== 'literal') return opaqueMeaning(because('host-unknown', word.source));
  const { value } = word;
  if (value.startsWith('@')) return hostMeaning({ ...word, value: value.slice(1) }, 'contact');
  if (value === '+trace' || value === '+nssearch') return followsServers;
  if (value.startsWith('+'))
    return DIG_NUMBERS.test(value) || DIG_SWITCHES.has(value.replace(/^\+(?:no(?!id|$))?/, ''))
      ? NOTHING
      : opaqueMeaning(because('may-be-name-or-host', value));
  if (DIG_TYPES.test(value)) return NOTHING;
  return /^_[\w.-]+$/.test(value)
    ? resourceMeaning('host', 'contact', value.toLowerCase())
    : hostMeaning(word, 'contact');
}

/** Reads `[46][PROTOCOL][@HOST][:PORTS]`, the value of `lsof -i`; any other form is opaque. lsof asks a name server for the host. */
export function readSocketAddress(value: string): Meaning {
  const found = /^[46]?(?:tcp|udp|udplite)?(?:@(\[[\dA-Fa-f:]+\]|[\w.-]+))?(?::[\w,-]+)?$/i.exec(value);
  if (found === null) return opaqueMeaning(because('may-be-name-or-host', value));
  const [, host] = found;
  return host === undefined ? NOTHING : hostMeaning({ kind: 'literal', value: host, source: value }, 'contact');
}

/**
 * Reads a word after `lsof -i`. The word may be the value of that option or a file, so it counts as both. A word with `@` or `:` that is
 * not a socket address is opaque.
 */
export function readSocketOrFile(value: string, context: CommandContext): Meaning {
  const socket = readSocketAddress(value);
  const path = pathOfText(value, context, 'target');
  if (socket.opaque !== undefined && /[@:]/.test(value)) return socket;
  return { resources: [...socket.resources, { kind: 'path', access: 'read', ...path }] };
}
