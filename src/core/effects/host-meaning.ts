/** Reads words that are hosts or URLs. A word that two programs may understand differently is opaque. */

import { knownText } from '../reading/known-text.ts';
import type { Word } from '../reading/reading.ts';
import { because } from '../reasons/reason.ts';
import { type Meaning, opaqueMeaning, resourceMeaning } from './meaning.ts';
import type { Access } from './permission.ts';

/**
 * Reads the name or address of a host, perhaps with `user@` in front. The resource keeps `user@`, and the host is in lower
 * case. A host that is only known at run time is opaque.
 */
export function hostMeaning(word: Word, access: Access): Meaning {
  if (word.kind !== 'literal') return opaqueMeaning(because('host-unknown', word.source));
  return /^(?:[\w.-]+@)?(?:[A-Za-z0-9][\w.-]*|\[?[0-9A-Fa-f:]+\]?)$/.test(word.value)
    ? resourceMeaning(
        'host',
        access,
        word.value.replace(/[^@]*$/, (host) => host.toLowerCase()),
      )
    : opaqueMeaning(because('host-malformed', word.value));
}

/** A name, an IPv4 address, or an IPv6 address in brackets (RFC 3986, section 3.2.2), perhaps with a port. */
const AUTHORITY = /^(?:[A-Za-z0-9][A-Za-z0-9.-]*|\[(?:[0-9A-Fa-f]{0,4}:){2,7}[0-9A-Fa-f]{0,4}\])(?::\d+)?$/;

const SCHEMES = ['http', 'https', 'ftp', 'ftps', 'git'];

/**
 * Matches a URL without a scheme if some tool may guess another scheme than `http`. curl guesses `ftp` for `ftp.example.com`
 * (curl(1), "URL"). wget reads `host:80?x`, `host?x:y` and `[::1]/x` as URLs of ftp.
 */
const GUESSED = /^(?:\[|(?:dict|ftp|gopher|imap|ldap|pop3|smtp|telnet)\.|[^/:]*:(?!\d+(?:\/|$)))/i;

/**
 * Reads `[scheme://]host[:port][/…]`. If the word names no scheme, the scheme is `http`. But if a tool may guess another scheme, the word
 * is opaque. If the end of the word is only known at run time, the resource is the known beginning. Such a word is opaque in two cases:
 * bash may split the word, or the `/` after the host is not known.
 */
export function urlMeaning(word: Word, access: Access): Meaning {
  const text = knownText(word);
  const [, given, authority = '', rest = ''] = /^(?:([a-z][a-z0-9+.-]*):\/\/)?([^/?#]*)(.*)$/is.exec(text) ?? [];
  const scheme = given ?? 'http';
  if (!SCHEMES.includes(scheme.toLowerCase())) return opaqueMeaning(because('url-scheme', scheme));
  if (!AUTHORITY.test(authority)) return opaqueMeaning(because('url-host-unclear', word.source));
  if (given === undefined && GUESSED.test(text)) return opaqueMeaning(because('url-scheme-guessed', word.source));
  if (/[\s\\{}[\]\p{C}]/u.test(rest)) return opaqueMeaning(because('url-splits', word.source));
  if (word.kind !== 'literal' && (!rest.startsWith('/') || !word.isOne))
    return opaqueMeaning(because('url-host-unknown', word.source));
  const value = `${scheme.toLowerCase()}://${authority.toLowerCase()}${rest === '' ? '/' : rest}`;
  return resourceMeaning('url', access, value, word.kind === 'literal');
}
