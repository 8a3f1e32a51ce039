/** Reads the processes that Linux lists (proc(5)). Linux reuses process ids. Only id and start time together identify a process. */
import { readdirSync, readFileSync } from 'node:fs';
import { errorCode } from '../../platform/private-files.ts';

/**
 * @property session    the id of the process's session (setsid(2))
 * @property state      one letter: `T` is stopped, `D` waits in the kernel and takes no signal, `Z` has ended
 * @property startTicks when the process started, in clock ticks since the boot
 * @property name       the name of the program; the kernel cuts the name to 15 bytes, and the process can change the name
 */
export interface ProcessEntry {
  readonly pid: number;
  readonly parentPid: number;
  readonly session: number;
  readonly state: string;
  readonly startTicks: number;
  readonly name: string;
}

/** Identifies one process, even after Linux has reused the process id. */
export interface KnownProcess {
  readonly pid: number;
  readonly startTicks: number;
}

/** The index of `starttime` (field 22 of proc(5)) among the fields after the name. */
const START_TIME_FIELD = 19;

/** Returns null if no process has this id, or if the file of the process in /proc cannot be read. */
export function readProcess(pid: number): ProcessEntry | null {
  const found = findProcess(pid);
  return found === 'unreadable' ? null : found;
}

/**
 * Errors that mean that this user has no process with this id. With `hidepid` (proc(5)), the kernel returns EACCES or EPERM for processes
 * of other users.
 */
const NONE_OF_OURS: ReadonlySet<string> = new Set(['ENOENT', 'ESRCH', 'EACCES', 'EPERM']);

/** Returns null after an error of `NONE_OF_OURS`, and `unreadable` after every other error. */
function findProcess(pid: number): ProcessEntry | null | 'unreadable' {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  } catch (error) {
    return NONE_OF_OURS.has(errorCode(error)) ? null : 'unreadable';
  }
  const nameEnd = stat.lastIndexOf(')'); // the name can contain any character, even `)`
  const fields = stat.slice(nameEnd + 2).split(' ');
  const [state = '', parentPid, , session] = fields;
  return {
    pid,
    name: stat.slice(stat.indexOf('(') + 1, nameEnd),
    state,
    parentPid: Number(parentPid),
    session: Number(session),
    startTicks: Number(fields[START_TIME_FIELD]),
  };
}

/** Returns all processes that can be read. Throws if this system has no /proc. */
export function readProcesses(): readonly ProcessEntry[] {
  const names = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return names.map((name) => readProcess(Number(name))).filter((entry) => entry !== null);
}

/** Whether `entry` is the known process, and not a later process with the same id. */
export const isSame = (known: KnownProcess, entry: ProcessEntry | null): entry is ProcessEntry =>
  entry !== null && entry.startTicks === known.startTicks && entry.pid === known.pid;

/**
 * Whether the known process is gone from /proc. Returns false for a zombie (`hasEnded`). Also returns false if /proc cannot be read at the
 * moment, for example with EMFILE.
 */
export function isGone(known: KnownProcess): boolean {
  const found = findProcess(known.pid);
  return found !== 'unreadable' && !isSame(known, found);
}

export const hasEnded = ({ state }: ProcessEntry): boolean => state === 'Z' || state === 'X';
export const isStopped = ({ state }: ProcessEntry): boolean => state === 'T' || state === 't';
