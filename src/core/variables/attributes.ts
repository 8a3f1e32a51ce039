/**
 * Attributes of a session's variables: `declare -i`, `-l`, `-u`, `-n` (bash(1), "declare") and `-c` (not documented). Because of them, an
 * assignment may store another value than the line says, or may set another variable. A session reports the attributes of a variable as an
 * entry `attribute NAME`. The value of the entry consists of the letters of the attributes.
 */
import type { EnvironmentEntry } from '../grant/request.ts';

const PREFIX = 'attribute ';

/** Variables that bash itself sets, after `cd`, `read` or any program. If one of them is a reference, bash sets another variable. */
export const SET_IN_PASSING: ReadonlySet<string> = new Set(['PWD', 'OLDPWD', 'LINES', 'COLUMNS', 'REPLY']);

/** Returns the variable whose attributes the entry reports; null if the entry reports something else. */
export const attributesOf = (entry: string): string | null =>
  entry.startsWith(PREFIX) ? entry.slice(PREFIX.length) : null;

/** Returns texts like `declare -n v`, separated by commas; null if the session reports no attributes. */
export function changedAttributes(environment: readonly EnvironmentEntry[]): string | null {
  const changed = environment.flatMap(({ name, value }) => {
    const variable = attributesOf(name);
    return variable === null ? [] : [`declare -${value} ${variable}`];
  });
  return changed.length === 0 ? null : changed.join(', ');
}
