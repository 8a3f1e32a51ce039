/**
 * Attributes of a session's variables with which a variable gets another value than the line assigns to it, or another variable gets it:
 * `declare -i`, `-l`, `-u`, `-c`, `-n` (bash(1), "declare"). A session reports them as `attribute NAME`.
 */
import type { EnvironmentEntry } from '../grant/request.ts';

const PREFIX = 'attribute ';

/** The variable whose attributes an entry reports; null: it reports something else. */
export const attributesOf = (entry: string): string | null =>
  entry.startsWith(PREFIX) ? entry.slice(PREFIX.length) : null;

/** Returns texts like `declare -n v`, separated by commas; null if the line sets no such variable. */
export function changedAttributes(environment: readonly EnvironmentEntry[]): string | null {
  const changed = environment.flatMap(({ name, value }) => {
    const variable = attributesOf(name);
    return variable === null ? [] : [`declare -${value} ${variable}`];
  });
  return changed.length === 0 ? null : changed.join(', ');
}
