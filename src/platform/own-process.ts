/** Checks a process id from a file. After our process has ended, the system can give its id to another process. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * Whether a process with this id runs `apes`. Returns false if the caller may not send signals to the process, for example to a process of
 * another user.
 */
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
