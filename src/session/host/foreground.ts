/** Finds the program in the foreground of a terminal, as the kernel reports it. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { coveredStdio } from '../../pty/covered-descriptors.ts';

/**
 * @property argv     on systems without /proc, an argument with spaces becomes several arguments
 * @property cwd      empty on systems without /proc
 * @property isLeader whether the session leader is described. On Linux, the leader is also described if every process in the foreground
 *                    has ended or belongs to another user
 */
export interface Foreground {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly isLeader: boolean;
}

/**
 * Returns null if `pid` is null, or if the session leader has ended or cannot be read. On systems without /proc, also returns null if the
 * process in the foreground has ended.
 * @param pid the process id of the session leader
 */
export function foregroundOf(pid: number | null): Foreground | null {
  if (pid === null) return null;
  try {
    return process.platform === 'linux' ? fromProc(pid) : fromPs(pid);
  } catch {
    return null; // The process has ended meanwhile, or cannot be read.
  }
}

/** The index of `pgrp` and of `tpgid` among the fields after the name: state ppid pgrp session tty tpgid (proc(5)). */
const GROUP_FIELD = 2;
const FOREGROUND_GROUP_FIELD = 5;

/** In `/proc/PID/stat` the name can contain any character, even `)`. */
function statField(pid: number, field: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[field]);
}

/** The first process of a pipeline can end before the others: `echo x | less`. Then another process of the pipeline is described. */
function fromProc(pid: number): Foreground {
  const group = statField(pid, FOREGROUND_GROUP_FIELD);
  const front = group > 0 ? (described(group) ?? firstOf(group, described)) : null;
  if (front !== null) return { ...front, isLeader: group === pid };
  return { argv: commandOf(pid), cwd: readlinkSync(`/proc/${pid}/cwd`), isLeader: true };
}

/** Returns null if the process has ended or belongs to another user. */
function described(pid: number): Pick<Foreground, 'argv' | 'cwd'> | null {
  try {
    return { cwd: readlinkSync(`/proc/${pid}/cwd`), argv: commandOf(pid) };
  } catch {
    return null;
  }
}

/** Calls `of` for each process of the group, in the order of the process ids. Returns the first result that is not null. */
function firstOf<T>(group: number, of: (pid: number) => T | null): T | null {
  const pids = readdirSync('/proc').map(Number).filter(Number.isInteger);
  for (const pid of pids.sort((one, other) => one - other)) {
    const found = isInGroup(pid, group) ? of(pid) : null;
    if (found !== null) return found;
  }
  return null;
}

function isInGroup(pid: number, group: number): boolean {
  try {
    return statField(pid, GROUP_FIELD) === group;
  } catch {
    return false; // the process has ended
  }
}

function commandOf(pid: number): readonly string[] {
  const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').slice(0, -1);
  if (words.length > 0) return words;
  return [readFileSync(`/proc/${pid}/comm`, 'utf8').trim()]; // a process that is just ending
}

function fromPs(pid: number): Foreground | null {
  const ps = (...words: string[]): string =>
    execFileSync('/bin/ps', words, {
      encoding: 'utf8',
      stdio: coveredStdio(['ignore', 'pipe', 'ignore']) as [],
    }).trim();
  const group = Number(ps('-o', 'tpgid=', '-p', String(pid)));
  const command = ps('-o', 'args=', '-p', String(group > 0 ? group : pid));
  return command === '' ? null : { argv: command.split(' '), cwd: '', isLeader: group === pid };
}
