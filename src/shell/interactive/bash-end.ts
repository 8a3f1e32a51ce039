/** Explains why bash ended if no line ended it. Without this text, the person would only see the terminal close. */
import { constants } from 'node:os';
import type { ProcessEnd } from '../../pty/pseudo-terminal.ts';

/** The status with which the set-up text ends bash when the channel, a descriptor or a builtin is gone. */
const LEFT_STATUS = 97;

/** The signals by which the kernel ends a process at a limit (`ulimit`), which a line can lower for bash itself. */
const LIMITS: ReadonlyMap<number, string> = new Map([
  [constants.signals.SIGXFSZ, 'it has no room left for its own files (`ulimit -f`)'],
  [constants.signals.SIGXCPU, 'its time is used up (`ulimit -t`)'],
]);

const CRASHES: ReadonlySet<number> = new Set(
  (['SIGSEGV', 'SIGBUS', 'SIGILL', 'SIGFPE', 'SIGABRT'] as const).map((name) => constants.signals[name]),
);

/**
 * @property hasPrompted whether a prompt was shown
 * @property isRunning   whether a line runs
 * @property mayLeaveWith whether a line runs that can have ended bash with this status, as `exit 3` does
 */
export interface BashState {
  readonly hasPrompted: boolean;
  isRunning(): boolean;
  mayLeaveWith(status: number): boolean;
}

/**
 * @property isStatusMeaningless whether the session has to end with the status of a fault of ours, in place of the status or signal of bash
 * @property sentence            a line of text without LF
 */
export interface BashEnd {
  readonly isStatusMeaningless: boolean;
  readonly sentence: string;
}

export const brokenSentence = (reason: string): string =>
  `ape-shell: this bash cannot be gated any more: ${reason}; the session ends`;

/**
 * Returns null if a line, a start-up file or a hang-up ended bash in a usual way. A crash, a limit and a kill before the first prompt are
 * always explained. `LEFT_STATUS` is explained unless the line that runs can have ended bash with this status.
 */
export function explainEnd({ status, signal }: ProcessEnd, state: BashState): BashEnd | null {
  const limit = LIMITS.get(signal);
  if (limit !== undefined) return { isStatusMeaningless: false, sentence: brokenSentence(limit) };
  if (status === LEFT_STATUS && !state.mayLeaveWith(LEFT_STATUS))
    return {
      isStatusMeaningless: true,
      sentence: brokenSentence('its channel to the gate, a descriptor or a builtin is gone'),
    };
  // The gate kills a program that takes the place of bash before the first prompt.
  if (signal === constants.signals.SIGKILL && !state.hasPrompted)
    return {
      isStatusMeaningless: true,
      sentence: brokenSentence('a start-up file put another program in its place (`exec`), or killed it'),
    };
  const isOwn = state.isRunning() || !state.hasPrompted || signal === constants.signals.SIGHUP;
  if (isOwn && !CRASHES.has(signal)) return null;
  const how = signal === 0 ? `status ${status}` : nameOf(signal);
  return { isStatusMeaningless: false, sentence: `ape-shell: bash itself ended (${how}); the session ends` };
}

const nameOf = (signal: number): string =>
  Object.entries(constants.signals).find(([, number]) => number === signal)?.[0] ?? `signal ${signal}`;
