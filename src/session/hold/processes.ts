/** Processes as Linux lists them (proc(5)). Linux reuses process ids: only id and start time together identify a process. */
import { readdirSync, readFileSync } from 'node:fs';

/**
 * @property session    its session id (setsid(2))
 * @property state      one letter: `T` is stopped, `D` waits and gets no signal, `Z` has ended
 * @property startTicks since the boot, in clock ticks
 */
export interface ProcessEntry {
  readonly pid: number;
  readonly parentPid: number;
  readonly session: number;
  readonly state: string;
  readonly startTicks: number;
  readonly name: string;
}

/** Identifies one process for longer than its id alone would. */
export interface KnownProcess {
  readonly pid: number;
  readonly startTicks: number;
}

/** Returns null if there is no such process, or this system has no /proc. */
export function readProcess(pid: number): ProcessEntry | null {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  } catch {
    return null;
  }
  const nameEnd = stat.lastIndexOf(')'); // the name may contain anything, also `)`
  const fields = stat.slice(nameEnd + 2).split(' ');
  return {
    pid,
    name: stat.slice(stat.indexOf('(') + 1, nameEnd),
    state: fields[0] ?? '',
    parentPid: Number(fields[1]),
    session: Number(fields[3]),
    startTicks: Number(fields[19]),
  };
}

export function readProcesses(): readonly ProcessEntry[] {
  const names = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return names.map((name) => readProcess(Number(name))).filter((entry) => entry !== null);
}

export const isSame = (known: KnownProcess, entry: ProcessEntry | null): entry is ProcessEntry =>
  entry !== null && entry.startTicks === known.startTicks && entry.pid === known.pid;

export const hasEnded = ({ state }: ProcessEntry): boolean => state === 'Z' || state === 'X';
export const isStopped = ({ state }: ProcessEntry): boolean => state === 'T' || state === 't';
