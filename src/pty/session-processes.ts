/**
 * Finds and signals the processes of a terminal session whose leader has died of a signal. If SIGHUP ends a bash, this bash first sends
 * SIGHUP to its jobs, except to jobs of `disown`. Jobs of `nohup` ignore the signal. A leader that another signal kills sends nothing to
 * its jobs.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** Sends SIGHUP, and then SIGCONT, to each remaining process of the session, also to disowned jobs. */
export function hangUpSession(sessionId: number): void {
  for (const pid of process.platform === 'linux' ? fromProc(sessionId) : fromPs(sessionId)) {
    try {
      process.kill(pid, 'SIGHUP');
      process.kill(pid, 'SIGCONT');
    } catch {
      // The process has ended meanwhile, or this user may not signal it.
    }
  }
}

/** In proc(5), /proc/PID/stat is `pid (name) state ppid pgrp session …`. The name can contain any character, also `)`. */
function fromProc(sessionId: number): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
        return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[3]) === sessionId;
      } catch {
        return false;
      }
    });
}

function fromPs(sessionId: number): readonly number[] {
  try {
    const rows = execFileSync('/bin/ps', ['-axo', 'pid=,sess='], { encoding: 'utf8' }).trim().split('\n');
    return rows
      .map((row) => row.trim().split(/\s+/).map(Number))
      .flatMap(([pid, session]) => (session === sessionId && pid ? [pid] : []));
  } catch {
    return [];
  }
}
