/**
 * `apes down`: sends SIGTERM to the server. If the server does not end, sends SIGKILL. SIGKILL loses no decision: all decisions are on the
 * disk already. Also tells the resident gate to end.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Failure, failure } from '../../core/failure.ts';
import { isOurProcess } from '../../platform/own-process.ts';
import type { Paths } from '../../platform/paths.ts';
import { dismissResident } from '../../shell/start-resident.ts';
import { answering, type Ending, failing } from '../ending.ts';
import { findLocalServer, type LocalServer } from './local-server.ts';

/**
 * The time to wait after SIGTERM, and again after SIGKILL. A `running` server first waits up to 5 s for its open calls. A `silent` server
 * has no open calls.
 */
const TIMEOUT_MS = { running: 8000, silent: 2000 };
const STEP_MS = 20;

/** Succeeds also if no server runs. */
export async function stopHere(paths: Paths): Promise<Ending> {
  const found = await findLocalServer(paths, 1000);
  if (!found.ok) return failing(found.failure);
  dismissResident(paths);
  if (found.value.kind === 'stopped') return answering({ wasRunning: false }, 'not running\n');
  const { pid, url } = found.value.record;
  const unended = await endServer(found.value);
  return unended === null ? answering({ wasRunning: true, url, pid }, `stopped (${url})\n`) : failing(unended);
}

/** Ends the server. Fails if the server still runs after SIGKILL, or if we cannot send a signal to the server. Returns null on success. */
export async function endServer({
  kind,
  record: { pid },
}: Exclude<LocalServer, { kind: 'stopped' }>): Promise<Failure | null> {
  const isGone = await endProcess(pid, TIMEOUT_MS[kind]);
  return isGone ? null : failure('system', `the server (pid ${pid}) does not end`, `look at the process: ps -p ${pid}`);
}

async function endProcess(pid: number, timeoutMs: number): Promise<boolean> {
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    try {
      process.kill(pid, signal);
    } catch {
      return !isOurProcess(pid);
    }
    for (let waitedMs = 0; waitedMs < timeoutMs; waitedMs += STEP_MS) {
      if (!isOurProcess(pid)) return true;
      await sleep(STEP_MS);
    }
  }
  return false;
}
