/** Finds the session in which this process runs, for a hook or a plugin of an agent. */
import { readFileSync } from 'node:fs';
import type { Failure } from '../../core/failure.ts';
import { type Result, success } from '../../core/result.ts';
import { readEntries, type SessionEntry, sessionDirectory } from '../../session/registry.ts';
import type { CliContext } from '../context.ts';
import { withInstallation } from '../opened.ts';

/** Returns null if this process is in no session. Fails if the installation or the registry of sessions cannot be read. */
export async function sessionAround(context: CliContext): Promise<Result<SessionEntry | null, Failure>> {
  const entries = await withInstallation(context, ({ paths }) => readEntries(sessionDirectory(paths)));
  return entries.ok ? success(sessionOf(context, entries.value)) : entries;
}

/** If APES_SESSION names a running session, returns it. Otherwise returns the running session whose host process is our ancestor. */
function sessionOf(context: CliContext, entries: readonly SessionEntry[]): SessionEntry | null {
  const running = entries.filter(({ ended }) => ended === null);
  const named = context.caller.environment.get('APES_SESSION')?.toString('utf8');
  const byName = running.find(({ id }) => id === named);
  if (byName !== undefined) return byName;
  for (const pid of ancestors(process.ppid)) {
    const found = running.find((entry) => entry.pid === pid);
    if (found !== undefined) return found;
  }
  return null;
}

function ancestors(pid: number): readonly number[] {
  const found: number[] = [];
  for (let at = pid; at > 1 && found.length < 64; at = parentOf(at)) found.push(at);
  return found;
}

/** Returns the process id of the parent, from /proc of Linux; 0 if the parent is not known. */
function parentOf(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return 0;
  }
}
