/**
 * Removes what killed runs of the certification (SIGKILL, a power cut) have left: directories, servers and agents. Each run writes its
 * process id into its directory. So the next run can see whether the process of an earlier run still exists.
 */
import { lstatSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeDirectory } from '../platform/remove-directory.mjs';
import { findProcesses } from './processes.mjs';

export const RUN_PREFIX = 'ape-certify-';
const NOTE = 'run.json';

/** Writes the id and start time of this process into the directory of its run. Call this function before the run starts a process. */
export function noteRun(directory: string): void {
  writeFileSync(join(directory, NOTE), JSON.stringify({ pid: process.pid, startedAt: startOf(process.pid) }), {
    mode: 0o600,
  });
}

/** For each killed run of this user, ends the processes and removes the directory. Returns one line of text for each such run. */
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
  return `removed what a killed run has left: ${directory}, ${ended.size} processes`;
}

/** Whether the directory belongs to this user and its run has ended. Returns false if the note is missing or malformed. */
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
 * Returns the id of this boot and the process's start time in clock ticks since boot. A process id alone does not identify a process: a
 * later process can get the same id. Returns null for a zombie, or if `/proc` cannot be read.
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
    return false; // the process has ended
  }
}
