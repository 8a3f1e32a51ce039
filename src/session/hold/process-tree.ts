/** Finds the processes of a session or of a running command. The caller passes the list of all processes. */
import { hasEnded, isSame, type KnownProcess, type ProcessEntry } from './processes.ts';

/**
 * Returns these processes, except processes that have ended:
 * - the known processes that are in `all`
 * - all processes of a session (setsid(2)) whose leader is a known process in `all`
 * - the descendants of these processes
 *
 * Parents usually come before their children. A daemon can leave its session with setsid, and its parent can end. Such a daemon is returned
 * only if the daemon itself is a known process.
 * @param spared the ids of processes that are never returned. A spared process's descendants are not searched
 */
export function treeOf(
  all: readonly ProcessEntry[],
  known: readonly KnownProcess[],
  spared: ReadonlySet<number>,
): readonly ProcessEntry[] {
  const byPid = new Map(all.map((entry) => [entry.pid, entry]));
  const roots = known
    .map((root) => [root, byPid.get(root.pid) ?? null] as const)
    .flatMap(([root, entry]) => (isSame(root, entry) ? [entry] : []));
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

/** Returns the ids of a process and its ancestors. A hold spares these processes: it must not stop the process that carries it out. */
export function selfAndAncestors(all: readonly ProcessEntry[], pid: number): ReadonlySet<number> {
  const byPid = new Map(all.map((entry) => [entry.pid, entry]));
  const found = new Set<number>();
  for (let at = pid; at > 0 && !found.has(at); at = byPid.get(at)?.parentPid ?? 0) found.add(at);
  return found;
}
