/**
 * Reads a line that bash has sent: whether the line is complete, which names bash is asked about, and which values a grant binds. The
 * interactive shell loads this code after its first prompt.
 */
import type { EnvironmentEntry } from '../../core/grant/request.ts';
import { LineReading } from '../../core/reading/line-reading.ts';
import { namesToAsk } from '../../core/reading/names-to-ask.ts';
import { localeOf } from '../../core/variables/character-set.ts';
import { loadBashParser } from '../../platform/bash-parser.ts';
import { boundEntries, needsVariables } from './bound-entries.ts';
import { type Completeness, completenessOf } from './completeness.ts';
import { mayCallThrough, mayCallUnwritten } from './unwritten-calls.ts';

/**
 * Whether the line is a complete command.
 * @param entries the entries that came with the line
 * @param shell   the path of bash, and the name of bash in its messages
 */
export function completenessOfLine(
  text: string,
  entries: readonly Buffer[],
  shell: { readonly bash: string; readonly name: string },
): Promise<Completeness> {
  const isRedefined = entries.some((entry) => entry.toString('latin1', 0, 6) === 'alias ');
  return completenessOf(text, shell.bash, shell.name, isRedefined, localeIn(entries));
}

/**
 * @property names what bash is asked about the line; null: bash cannot be asked about one of the names
 * @property more  returns what bash is asked once more, because of its answer `meanings`; empty: nothing
 * @property bound returns the entries that a grant binds; `meanings` is what bash has answered
 */
export interface TypedLine {
  readonly reading: LineReading;
  readonly names: readonly string[] | null;
  readonly more: (meanings: readonly Buffer[]) => readonly string[];
  readonly bound: (meanings: readonly Buffer[], cwd: string) => readonly EnvironmentEntry[];
}

/** @param entries the entries that came with the line */
export async function readTypedLine(text: string, entries: readonly Buffer[]): Promise<TypedLine> {
  const parse = await loadBashParser();
  const reading = new LineReading(text, parse);
  const written = namesToAsk(reading, parse);
  const asked = new Set(written);
  if (mayCallUnwritten(reading, parse)) asked.add(EVERYTHING);
  // With the option `autocd`, bash calls `cd` for a line that is the name of a directory.
  if (isOn(entries, 'autocd')) asked.add('cd');
  if (needsVariables(text, entries)) asked.add(ALL_VARIABLES);
  return {
    reading,
    names: written === null ? null : [...asked],
    more: (meanings) => {
      if (asked.has(EVERYTHING) || !mayCallThrough(reading, [...entries, ...meanings].map(partOf), parse)) return [];
      return asked.has(ALL_VARIABLES) ? [EVERYTHING] : [EVERYTHING, ALL_VARIABLES];
    },
    bound: (meanings, cwd) => boundEntries([...entries, ...meanings], reading, cwd),
  };
}

/** In a question to bash: all aliases and functions. */
const EVERYTHING = '*';
/** In a question to bash: the values of all variables. */
const ALL_VARIABLES = '$';

function partOf(entry: Buffer): { readonly name: string; readonly value: string } {
  const text = entry.toString('utf8');
  const at = text.indexOf('=');
  return { name: text.slice(0, at), value: text.slice(at + 1) };
}

const isOn = (entries: readonly Buffer[], option: string): boolean =>
  entries.map(partOf).some(({ name, value }) => name === 'BASHOPTS' && value.split(':').includes(option));

/** Returns the locale of bash's character set, from the entries that bash sent. */
const localeIn = (entries: readonly Buffer[]): string =>
  localeOf(
    entries
      .map((entry) => entry.toString('latin1'))
      .filter((entry) => /^(?:LC_ALL|LC_CTYPE|LANG)=/.test(entry))
      .map((entry) => ({ name: entry.slice(0, entry.indexOf('=')), value: entry.slice(entry.indexOf('=') + 1) })),
  );
