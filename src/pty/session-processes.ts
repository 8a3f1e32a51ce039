/**
 * Finds and signals the processes of a session whose leader was killed: its jobs have got no signal. (A leader that exits has
 * sent them SIGHUP itself, or spared them on purpose, as `nohup` and `disown` request.)
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** Sends SIGHUP to each remaining process of the session `sessionId`. */
export function hangUpSession(sessionId: number): void {
  for (const pid of process.platform === 'linux' ? fromProc(sessionId) : fromPs(sessionId)) {
    try {
      process.kill(pid, 'SIGHUP');
      process.kill(pid, 'SIGCONT');
    } catch {
      // The process has ended meanwhile.
    }
  }
}

/** proc(5): pid (name) state ppid pgrp session …; the name may contain anything, also `)`. */
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
