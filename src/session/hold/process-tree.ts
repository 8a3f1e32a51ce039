/** Which processes belong to a session or to a command that runs. Pure: it works on a list that was read before. */
import { hasEnded, isSame, type KnownProcess, type ProcessEntry } from './processes.ts';

/**
 * The known processes, their descendants, and all processes in a session (setsid(2)) whose leader is a known process; parents come
 * before their children. A process that has left both (a daemon that was started with setsid, and whose parent ended) is not found,
 * unless it was known before.
 * @param spared processes that are never part of it, nor the processes that descend only from them
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

/** This process and its ancestors: a hold must not stop the process that carries it out. */
export function selfAndAncestors(all: readonly ProcessEntry[], pid: number): ReadonlySet<number> {
  const byPid = new Map(all.map((entry) => [entry.pid, entry]));
  const found = new Set<number>();
  for (let at = pid; at > 0 && !found.has(at); at = byPid.get(at)?.parentPid ?? 0) found.add(at);
  return found;
}
