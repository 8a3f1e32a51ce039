/** Whether a pid that a file names is still one of ours: a number alone may belong to a stranger by now. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** True for a living process that runs our control program. */
export function isOurProcess(pid: number): boolean {
  if (pid === process.pid) return true;
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  return /main\/apes\.cjs/.test(commandLineOf(pid));
}

/** Linux tells it in /proc (a zombie's is empty); elsewhere ps(1) does. */
function commandLineOf(pid: number): string {
  try {
    if (process.platform === 'linux') return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
    return execFileSync('/bin/ps', ['-o', 'args=', '-p', String(pid)], { encoding: 'utf8', timeout: 5000 });
  } catch {
    return '';
  }
}
