/** Finds what the name of a command means: a tool, or a program file. */

import { isInterpreter } from '../reading/interpreters.ts';
import type { Word } from '../reading/reading.ts';
import { because, type Reason } from '../reasons/reason.ts';
import { baseName } from '../text/path.ts';
import type { CommandContext } from './command-context.ts';
import { pathOfText } from './known-path.ts';
import type { Draft } from './meaning.ts';
import type { Resource } from './permission.ts';

/** @property tool a name without a slash; the tool may have no rule file */
export type ProgramName =
  | { readonly kind: 'tool'; readonly tool: string }
  | { readonly kind: 'program'; readonly path: Resource }
  | ({ readonly kind: 'opaque' } & Reason);

/** Matches the path of a program in a system directory. Such a path means the tool of the same name. */
const SYSTEM = /^(?:\/usr(?:\/local)?)?\/s?bin\/([^/]+)$|^\/opt\/homebrew\/bin\/([^/]+)$/;

/** Finds what the first word of a command means. A word that is only known at run time is opaque. */
export function toolNameOf(name: Word, context: CommandContext): ProgramName {
  if (name.kind !== 'literal') return { kind: 'opaque', ...because('tool-name-unknown', name.source) };
  const { value } = name;
  if (!value.includes('/'))
    return context.isRedefined === true
      ? { kind: 'opaque', ...because('other-program-of-name', value) }
      : { kind: 'tool', tool: value };
  const system = SYSTEM.exec(value);
  const known = system?.[1] ?? system?.[2];
  if (known !== undefined && context.isRedefined !== true) return { kind: 'tool', tool: known };
  return programAt(value, context);
}

/**
 * Returns the program file at a path. The arguments of the command do not count: only the program decides what its arguments mean. The
 * result is opaque in three cases:
 * - the path is not exact
 * - the path, with links followed, is in a system directory
 * - the last component of the path, or of the path with links followed, is the name of a tool with a rule file or of an interpreter
 */
function programAt(value: string, context: CommandContext): ProgramName {
  const path = pathOfText(value, context, 'target');
  const names = [value, path.value].map(baseName);
  const isKnown = names.some((name) => context.rules.find(name) !== null || isInterpreter(name));
  if (!path.isExact || isKnown || /^\/(?:usr|bin|sbin|lib\w*|opt|proc|dev|nix|snap)(?:\/|$)/.test(path.value))
    return { kind: 'opaque', ...because('program-without-rules', value) };
  return { kind: 'program', path: { kind: 'path', access: 'execute', ...path } };
}

export const draftOfProgram = (path: Resource): Draft => ({
  tool: 'program',
  operation: 'program',
  options: [],
  risk: 'high',
  sentences: [`Runs ${path.value}, with any arguments; that file decides what happens.`],
});
