/** Bash sends many entries with a line. This file selects the entries that a grant binds. */
import type { EnvironmentEntry } from '../../core/grant/request.ts';
import type { LineReading } from '../../core/reading/line-reading.ts';
import { attributesOf, SET_IN_PASSING } from '../../core/variables/attributes.ts';
import { boundBy, namesExpandedBy } from '../../core/variables/bound-variables.ts';
import { sha256Hex } from '../../platform/digest.ts';
import { boundEntry } from '../../platform/surroundings.ts';
import { isUsualOfShell } from './usual-shell.ts';

/**
 * Returns the entries that a grant binds, in the order of `entries`:
 * - the entries `KIND NAME=VALUE`, such as aliases; for attributes, see the last two points
 * - the variables that every grant binds or that the line names
 * - PWD, if the session reached its directory through links
 * - the attributes of each variable that the line can set
 * - the attributes of each name reference that the line reads or that bash itself sets
 *
 * Leaves out variables with their usual values (`isUsualOfShell`). If bash sends a name twice, the first value that is not usual counts.
 * @param cwd     the real directory of bash
 * @param entries as bash sends them: `NAME=VALUE`, `alias NAME=VALUE`, … (`src/pty/channel-frames.ts`)
 */
export function boundEntries(
  entries: readonly Buffer[],
  { text, settable }: LineReading,
  cwd: string,
): readonly EnvironmentEntry[] {
  const parts = entries.map((entry) => ({ entry, ...partsOf(entry) }));
  const values = new Map(parts.map(({ name, value }) => [name, value]));
  const isBoundVariable = boundBy([text], false, (name) => values.get(name)?.toString('utf8'));
  const expanded = namesExpandedBy(text);
  const isBound = (name: string, value: Buffer) => {
    const variable = attributesOf(name);
    if (name === 'PWD' && value.toString('utf8') !== cwd) return true; // `cd ..` goes to the directory above PWD
    if (variable === null) return name.includes(' ') || isBoundVariable(name, value.toString('utf8'));
    // Bash evaluates the index in a name reference (`declare -n`) even when the line only reads the variable.
    return settable.has(variable) || (value.includes('n') && (expanded.has(variable) || SET_IN_PASSING.has(variable)));
  };
  const bound = new Map<string, EnvironmentEntry>();
  for (const { entry, name, value } of parts) {
    // Checks the name first: most exported variables do not matter, and digests of secrets cost time.
    if (bound.has(name) || !isBound(name, value)) continue;
    if (!isUsualOfShell(name, value.toString('utf8')))
      bound.set(name, name.endsWith(' *') ? digest(name, entry) : boundEntry(name, value));
  }
  return [...bound.values()];
}

const EQUALS = 0x3d;

function partsOf(entry: Buffer): { readonly name: string; readonly value: Buffer } {
  const at = entry.indexOf(EQUALS);
  return { name: entry.toString('utf8', 0, at), value: entry.subarray(at + 1) };
}

/** Makes an entry with a digest as its value: all functions and aliases together can have hundreds of kilobytes. */
const digest = (name: string, entry: Buffer): EnvironmentEntry => ({ name, value: sha256Hex(entry), digest: true });
