/** Finds the effects of a command's assignments, redirections and variables. These effects count like the effects of the words. */

import { maySet } from '../reading/assignments.ts';
import { knownText } from '../reading/known-text.ts';
import type { Assignment, Redirection, SimpleCommand } from '../reading/reading.ts';
import { leadingText } from '../reading/spelling.ts';
import { because } from '../reasons/reason.ts';
import type { CommandContext } from './command-context.ts';
import { isHarmlessDevice } from './harmless-device.ts';
import { isStandardStream } from './known-path.ts';
import { type Meaning, NOTHING, opaqueMeaning, resourceMeaning } from './meaning.ts';
import { pathsOfWord } from './path-of-word.ts';
import type { Access } from './permission.ts';
import { variablesRead } from './variables-read.ts';
import { isHomeWord } from './word-shape.ts';

/** Returns one meaning for each assignment, one for each redirection, and one meaning for all variables that the command reads. */
export const meaningsAround = (command: SimpleCommand, context: CommandContext): readonly Meaning[] => [
  ...command.assignments.map(assignmentMeaning),
  ...command.redirections.map((redirection) => redirectionMeaning(redirection, context)),
  { resources: variablesRead(command, context.variables) },
];

function assignmentMeaning({ name, value }: Assignment): Meaning {
  if (!maySet(name, value)) return opaqueMeaning(because('sets-deciding-name', name));
  if (value === null) return resourceMeaning('variable', 'write', `${name}=`, false);
  return value.kind === 'literal'
    ? resourceMeaning('variable', 'write', `${name}=${value.value}`)
    : resourceMeaning('variable', 'write', `${name}=${value.prefix}`, false);
}

function redirectionMeaning({ operator, target }: Redirection, context: CommandContext): Meaning {
  switch (operator) {
    case '<<':
    case '<<<':
      return NOTHING;
    case '<&':
    case '>&':
      if (target.kind === 'literal' && /^(?:\d+-?|-)$/.test(target.value)) return NOTHING;
      return operator === '<&'
        ? opaqueMeaning(because('copies-descriptor', target.source))
        : file(target, ['write'], context);
    case '<':
      return file(target, ['read'], context);
    case '<>':
      return file(target, ['read', 'write'], context);
    default:
      return file(target, ['write'], context);
  }
}

const NETWORK = /^\/dev\/(?:tcp|udp)\//;

/**
 * Whether the target may become `/dev/tcp/…` or `/dev/udp/…`. Returns true if the known text at the start of the target fits such a path.
 * If the target begins with the home directory, returns true only if HOME is `/dev` or below `/dev`.
 */
function mayBeConnection(target: Redirection['target'] & { readonly kind: 'runtime' }, home: string | null): boolean {
  const isBelowDevices = home !== null && /^\/dev(?:\/|$)/.test(home);
  const mayBegin = (known: string) =>
    NETWORK.test(known) || '/dev/tcp/'.startsWith(known) || '/dev/udp/'.startsWith(known);
  if (target.spellings === undefined) return isHomeWord(target) ? isBelowDevices : mayBegin(target.prefix);
  return target.spellings.some((spelling) =>
    spelling.isHome ? isBelowDevices : leadingText(spelling).startsWith('/') && mayBegin(leadingText(spelling)),
  );
}

/** Reads a redirection from or to a file. For /dev/tcp/HOST/PORT and /dev/udp/HOST/PORT, bash opens a connection instead of a file. */
function file(target: Redirection['target'], accesses: readonly Access[], context: CommandContext): Meaning {
  const known = knownText(target);
  if (target.kind === 'runtime') {
    if (target.why === 'process substitution') return opaqueMeaning(because('redirects-into-substitution'));
    if (mayBeConnection(target, context.home)) return opaqueMeaning(because('redirects-to-connection', target.source));
  }
  if (known === '') if (target.kind === 'literal') return opaqueMeaning(because('redirects-nowhere'));
  if (NETWORK.test(known)) return connection(known);
  if (target.kind === 'literal' && accesses.every((access) => isHarmlessDevice(known, access))) return NOTHING;
  if (accesses.every((access) => isStandardStream(target, access))) return NOTHING;
  const paths = pathsOfWord(target, context, 'target');
  return { resources: accesses.flatMap((access) => paths.map((path) => ({ kind: 'path', access, ...path }))) };
}

function connection(path: string): Meaning {
  const [, host, port] = /^\/dev\/(?:tcp|udp)\/([\w.-]+)\/(\w+)$/.exec(path) ?? [];
  if (host === undefined || port === undefined) return opaqueMeaning(because('opens-named-connection', path));
  return {
    ...resourceMeaning('host', 'contact', `${host.toLowerCase()}:${port}`),
    risk: 'high',
    does: 'Opens a network connection.',
  };
}
