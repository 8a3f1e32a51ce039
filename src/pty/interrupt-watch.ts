/**
 * Makes sure that bash handles a Ctrl-C at its prompt.
 *
 * readline (seen in bash 5.2, and plain bash has it too) checks for a signal and then waits for a key: it notes a SIGINT that
 * comes in between, and nothing ends the wait. Then the line is gone, the screen shows `^C`, and no prompt comes until the next
 * key, which is lost. One in ten to a hundred Ctrl-C's that follow a key within a millisecond does that. Two cases:
 * - bash waits in select(2): any signal that it catches ends the wait. SIGCHLD without an ended child has no other effect.
 * - bash waits in read(2) for a key that Ctrl-C itself discarded: only another SIGINT ends the wait. bash has printed
 *   nothing yet. The read from the channel has the same gap: there an answer to no line ends the wait.
 */
import type { ShellFrame } from './channel-frames.ts';

/**
 * @property wakeUp         SIGCHLD
 * @property answerNoLine   an answer on the channel that belongs to no line
 * @property interrupt      SIGINT
 * @property isInterruptKey whether the terminal turns Ctrl-C into SIGINT at this moment
 */
export interface WatchedShell {
  readonly wakeUp: () => void;
  readonly answerNoLine: () => void;
  readonly interrupt: () => void;
  readonly isInterruptKey: () => Promise<boolean>;
}

export const CTRL_C = 0x03;
/** How bash shows a Ctrl-C, whether it came as SIGINT or as a character. */
const ECHO = '^C';
/** A prompt usually comes within some milliseconds. Each wait is twice the one before, up to the longest. */
const FIRST_WAIT_MS = 16;
const MAX_WAIT_MS = 1_024;
/** One second in all, which is also enough for a Ctrl-C typed just before a prompt; seven seconds if bash has not answered. */
const WAKE_UPS = 6;
const WAKE_UPS_WITHOUT_PROMPT = 12;
/** After half a second of silence every other wake-up is a SIGINT, without SIGCHLD, whose handler could absorb it. */
const ASKED_AGAIN_AFTER = 5;

export class InterruptWatch {
  readonly #shell: WatchedShell;
  #place: 'prompt' | 'line' | 'elsewhere' = 'elsewhere';
  #timer: NodeJS.Timeout | undefined;
  #wakeUps = 0;
  /** bash has not answered the last Ctrl-C. */
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
    // An earlier Ctrl-C was for the program that the key started: a SIGINT now would end the line that the user edits.
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
