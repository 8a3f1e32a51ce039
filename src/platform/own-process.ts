/**
 * Whether a process id from a file still belongs to one of our processes: the system possibly gave the id to another process since.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Whether a process with this id runs and is our program `apes`. Returns false for a process to which this one may not send signals. */
export function isOurProcess(pid: number): boolean {
  if (pid === process.pid) return true;
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  return /main\/apes\.cjs/.test(commandLineOf(pid));
}

/** Reads the command line from /proc on Linux (empty for a zombie), elsewhere from ps(1). */
function commandLineOf(pid: number): string {
  try {
    if (process.platform === 'linux') return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
    return execFileSync('/bin/ps', ['-o', 'args=', '-p', String(pid)], { encoding: 'utf8', timeout: 5000 });
  } catch {
    return '';
  }
}
