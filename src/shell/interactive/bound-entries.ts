/** What bash told about a line's surroundings, as the entries a grant binds. */
import { isMattering, namesExpandedBy } from '../../core/environment-that-matters.ts';
import type { EnvironmentEntry } from '../../core/request.ts';
import { boundEntry } from '../../platform/surroundings.ts';

/** Of what bash told: what words mean, what always matters, what the line names. A name told twice counts once. */
export function boundEntries(entries: readonly Buffer[], text: string): readonly EnvironmentEntry[] {
  const named = namesExpandedBy(text);
  const bound = new Map<string, EnvironmentEntry>();
  for (const entry of entries.map(entryOf))
    if (!bound.has(entry.name) && (entry.name.includes(' ') || isMattering(entry.name) || named.has(entry.name)))
      bound.set(entry.name, entry);
  return [...bound.values()];
}

function entryOf(entry: Buffer): EnvironmentEntry {
  const at = entry.indexOf(
    '=',
    entry.includes(' ') && /^(alias|function|disabled|hash) /.test(entry.toString('latin1', 0, 10))
      ? entry.indexOf(' ') + 1
      : 0,
  );
  return boundEntry(entry.toString('utf8', 0, at), entry.subarray(at + 1));
}
