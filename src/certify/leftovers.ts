/**
 * What a run left that was killed (SIGKILL, a power cut): its directory, its server and its agents. Each run notes in its directory
 * which process it is, so that the next one can tell a run that is over from one that still works.
 */
import { lstatSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeDirectory } from '../platform/remove-directory.mjs';
import { findProcesses } from './processes.mjs';

export const RUN_PREFIX = 'ape-certify-';
const NOTE = 'run.json';

/** Where this process is noted; nothing may be started in the directory before. */
export function noteRun(directory: string): void {
  writeFileSync(join(directory, NOTE), JSON.stringify({ pid: process.pid, startedAt: startOf(process.pid) }), {
    mode: 0o600,
  });
}

/** Ends and removes what is provably left of our own runs. A line for each. */
export function removeLeftovers(folder = tmpdir()): readonly string[] {
  return readdirSync(folder)
    .filter((name) => name.startsWith(RUN_PREFIX))
    .map((name) => join(folder, name))
    .filter(isOver)
    .map(removeLeftover);
}

function removeLeftover(directory: string): string {
  const ended = new Set<number>();
  try {
    removeDirectory(directory, () => {
      for (const pid of findProcesses(`APES_HOME=${join(directory, 'apes')}`, () => true)) if (end(pid)) ended.add(pid);
    });
  } catch (error) {
    return `${directory} was left by a run that was killed, and cannot be removed: ${String(error)}`;
  }
  return `removed what a run left that was killed: ${directory}, ${ended.size} processes`;
}

/** Ours, noted, and the process that made it is not there any more. In doubt it stays. */
function isOver(directory: string): boolean {
  try {
    const found = lstatSync(directory);
    const note = lstatSync(join(directory, NOTE));
    if (!found.isDirectory() || !note.isFile() || found.uid !== process.getuid?.() || note.uid !== found.uid)
      return false;
    const read: unknown = JSON.parse(readFileSync(join(directory, NOTE), 'utf8'));
    if (typeof read !== 'object' || read === null || !('pid' in read) || !('startedAt' in read)) return false;
    const { pid, startedAt } = read;
    if (typeof pid !== 'number' || !Number.isSafeInteger(pid) || pid < 2) return false;
    return !isThere(pid) || (typeof startedAt === 'string' && startOf(pid) !== startedAt);
  } catch {
    return false;
  }
}

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH');
  }
}

/**
 * When a process started, in ticks since the system did: another process may get its number. Null where that cannot be told, and
 * for one that has ended and was not waited for.
 */
function startOf(pid: number): string | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    const [state = '', ...fields] = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return /^[ZX]/.test(state) ? null : `${boot} ${fields[18]}`;
  } catch {
    return null;
  }
}

function end(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGKILL');
  } catch {
    return false; // it has ended
  }
}
