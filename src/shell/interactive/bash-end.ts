/** Explains an unexpected end of bash. Without an explanation, the person would only see the terminal close. */
import { constants } from 'node:os';
import type { ProcessEnd } from '../../pty/pseudo-terminal.ts';

/** The status with which the set-up text ends bash when the channel, a descriptor or a builtin is gone. */
const LEFT_STATUS = 97;

/** The kernel ends a process with these signals at a limit. A line can lower bash's own limits (`ulimit`). */
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
 * @property mayLeaveWith whether the running line can have ended bash with this status (`exit 3`: 3); false if no line runs
 */
export interface BashState {
  readonly hasPrompted: boolean;
  isRunning(): boolean;
  mayLeaveWith(status: number): boolean;
}

/**
 * @property isStatusMeaningless true: the session ends with the status of an internal fault (70), and not with bash's status or signal
 * @property sentence            a line of text without LF
 */
export interface BashEnd {
  readonly isStatusMeaningless: boolean;
  readonly sentence: string;
}

export const brokenSentence = (reason: string): string =>
  `ape-shell: this bash cannot be gated any more: ${reason}; the session ends`;

/**
 * Returns null if a line, a start-up file or a hang-up ended bash in a usual way. A crash, a limit and a SIGKILL before the first prompt
 * are always explained. `LEFT_STATUS` is explained too, except if the running line can have ended bash with this status.
 */
export function explainEnd({ status, signal }: ProcessEnd, state: BashState): BashEnd | null {
  const limit = LIMITS.get(signal);
  if (limit !== undefined) return { isStatusMeaningless: false, sentence: brokenSentence(limit) };
  if (status === LEFT_STATUS && !state.mayLeaveWith(LEFT_STATUS))
    return {
      isStatusMeaningless: true,
      sentence: brokenSentence('its channel to the gate, a descriptor or a builtin is gone'),
    };
  // The gate kills a program that replaces bash before the first prompt.
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
