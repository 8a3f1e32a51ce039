/**
 * Makes sure that bash handles a Ctrl-C at its prompt.
 *
 * readline checks for a signal and then waits for a key. bash notes a SIGINT that comes between the check and the wait, but goes on waiting
 * (seen in bash 5.2, also without ape-shell). The edited line is gone, and the screen shows `^C`. The prompt comes only at the next key,
 * and this key is lost. The fault happens to 1 to 10 % of the Ctrl-Cs that follow a key within a millisecond. What ends the wait depends on
 * the system call:
 * - select(2): any signal that bash catches ends the wait. SIGCHLD has no other effect if no child has ended.
 * - read(2) for a key: readline waits for a key that the terminal discarded when the Ctrl-C came. Only another SIGINT ends the wait. Unlike
 *   with select(2), bash has not printed `^C` yet.
 * - read(2) for the gate's answer on the channel: an answer that belongs to no line ends the wait.
 */
import type { ShellFrame } from './channel-frames.ts';

/**
 * @property wakeUp         sends SIGCHLD to bash
 * @property answerNoLine   writes to the channel an answer that belongs to no line
 * @property interrupt      sends SIGINT to bash
 * @property isInterruptKey whether the terminal turns Ctrl-C into SIGINT at this moment
 */
export interface WatchedShell {
  readonly wakeUp: () => void;
  readonly answerNoLine: () => void;
  readonly interrupt: () => void;
  readonly isInterruptKey: () => Promise<boolean>;
}

export const CTRL_C = 0x03;
/** How bash shows a Ctrl-C, whether the Ctrl-C came as SIGINT or as a character. */
const ECHO = '^C';
/**
 * The wait before the first wake-up: a prompt usually comes within milliseconds. Each further wait is twice as long as the previous wait,
 * up to MAX_WAIT_MS.
 */
const FIRST_WAIT_MS = 16;
const MAX_WAIT_MS = 1_024;
/**
 * How many wake-ups follow a Ctrl-C. Together, these wake-ups take one second. One second is enough even for a Ctrl-C just before a prompt.
 */
const WAKE_UPS = 6;
/** How many wake-ups follow a Ctrl-C that bash has not answered. Together, these wake-ups take seven seconds. */
const WAKE_UPS_WITHOUT_PROMPT = 12;
/** From this wake-up on (after half a second), every second wake-up is a SIGINT if bash has neither answered nor shown the Ctrl-C. */
const ASKED_AGAIN_AFTER = 5;

/**
 * The caller calls `typed` for all keys, `printed` for all output, and `onFrame` for each frame from bash. The caller calls `answered` for
 * each answer to bash, except for an answer of the kind `question`.
 */
export class InterruptWatch {
  readonly #shell: WatchedShell;
  #place: 'prompt' | 'line' | 'elsewhere' = 'elsewhere';
  #timer: NodeJS.Timeout | undefined;
  #wakeUps = 0;
  /** True while bash has not answered the last Ctrl-C that came at a prompt or during the check of a line. */
  #isUnanswered = false;
  #isEchoed = false;

  constructor(shell: WatchedShell) {
    this.#shell = shell;
  }

  typed(keys: Buffer): void {
    if (!keys.includes(CTRL_C)) return;
    this.#wakeUps = 0;
    this.#isUnanswered = this.#place !== 'elsewhere';
    this.#isEchoed = false;
    this.#wait();
  }

  printed(chunk: Buffer): void {
    if (this.#isUnanswered && !this.#isEchoed) this.#isEchoed = chunk.includes(ECHO);
  }

  onFrame(frame: ShellFrame): void {
    if (frame.kind === 'more-ticks' || frame.kind === 'meanings') return;
    // A key of `bind -x` has run a program, and an earlier Ctrl-C was for that program. A SIGINT now would end the edited line.
    if (frame.kind === 'key-ended') {
      this.#isUnanswered = false;
      return;
    }
    this.#place = frame.kind === 'prompt' || frame.kind === 'line' ? frame.kind : 'elsewhere';
    if (frame.kind !== 'line') this.#isUnanswered = false;
  }

  /** @param isOver false when bash reads a continuation of the same line */
  answered(isOver: boolean): void {
    this.#place = isOver ? 'elsewhere' : 'prompt';
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#place = 'elsewhere';
  }

  #wait(): void {
    clearTimeout(this.#timer);
    if (this.#wakeUps >= (this.#isUnanswered ? WAKE_UPS_WITHOUT_PROMPT : WAKE_UPS)) return;
    this.#timer = setTimeout(() => this.#look(), Math.min(FIRST_WAIT_MS * 2 ** this.#wakeUps, MAX_WAIT_MS));
  }

  #look(): void {
    this.#wakeUps++;
    const mayAsk = this.#wakeUps >= ASKED_AGAIN_AFTER && this.#wakeUps % 2 === ASKED_AGAIN_AFTER % 2;
    if (mayAsk && this.#isSilent()) void this.#askAgain();
    else if (this.#place === 'prompt') this.#shell.wakeUp();
    else if (this.#place === 'line') this.#shell.answerNoLine();
    this.#wait();
  }

  async #askAgain(): Promise<void> {
    if ((await this.#shell.isInterruptKey()) && this.#isSilent()) this.#shell.interrupt();
  }

  #isSilent(): boolean {
    return this.#place === 'prompt' && this.#isUnanswered && !this.#isEchoed;
  }
}
