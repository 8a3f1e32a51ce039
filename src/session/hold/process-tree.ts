/** Which processes belong to a session or to a command that runs. Pure: it works on a list that was read before. */
import { hasEnded, isSame, type KnownProcess, type ProcessEntry } from './processes.ts';

/**
 * Those that are known, what descends from them, and what shares the session (setsid(2)) of a known leader of one; parents come
 * before their children. What has left both (a daemon that was started with setsid, and whose parent ended) is not found, unless it was known before.
 * @param spared never part of it, nor what descends from them only: the process that holds, and those it descends from
 */
export function treeOf(
  all: readonly ProcessEntry[],
  known: readonly KnownProcess[],
  spared: ReadonlySet<number>,
): readonly ProcessEntry[] {
  const byPid = new Map(all.map((entry) => [entry.pid, entry]));
  const roots = known
    .map((each) => [each, byPid.get(each.pid) ?? null] as const)
    .flatMap(([each, entry]) => (isSame(each, entry) ? [entry] : []));
  const leaders = new Set(roots.filter((entry) => entry.session === entry.pid).map(({ pid }) => pid));
  const children = new Map<number, ProcessEntry[]>();
  for (const entry of all) children.set(entry.parentPid, [...(children.get(entry.parentPid) ?? []), entry]);
  const found = new Map<number, ProcessEntry>();
  const waiting = [...roots, ...all.filter(({ session }) => leaders.has(session))];
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    if (found.has(next.pid) || spared.has(next.pid)) continue;
    found.set(next.pid, next);
    waiting.push(...(children.get(next.pid) ?? []));
  }
  return [...found.values()].filter((entry) => !hasEnded(entry));
}

/** This process and those it descends from: stopping them would stop the hand that holds. */
export function selfAndAncestors(all: readonly ProcessEntry[], pid: number): ReadonlySet<number> {
  const byPid = new Map(all.map((entry) => [entry.pid, entry]));
  const found = new Set<number>();
  for (let at = pid; at > 0 && !found.has(at); at = byPid.get(at)?.parentPid ?? 0) found.add(at);
  return found;
}
