/**
 * Makes sure that bash handles a Ctrl-C at its prompt.
 *
 * readline (seen in bash 5.2, and plain bash has it too) looks whether a signal came and then waits for a key: a SIGINT that comes
 * in between is noted, and nothing ends the wait. Then the line is gone, `^C` stands there, and no prompt comes until the
 * next key, which is lost. One in ten to a hundred Ctrl-C's that follow a key within a millisecond does that. Two ways:
 * - bash waits in select(2): any signal it catches ends that. SIGCHLD without a child means nothing to it, at any moment.
 * - bash waits in read(2) for a key that Ctrl-C itself threw away: only another SIGINT ends that. bash has printed
 *   nothing yet. The read from the channel has the same gap: there an answer that no line asked for ends it.
 */
import type { ShellFrame } from './channel-frames.ts';

/**
 * @property wakeUp         SIGCHLD
 * @property answerNoLine   a frame on the channel with a token that no line has
 * @property interrupt      SIGINT
 * @property isInterruptKey whether the terminal turns Ctrl-C into SIGINT at this moment
 */
export interface WatchedShell {
  readonly wakeUp: () => void;
  readonly answerNoLine: () => void;
  readonly interrupt: () => void;
  readonly isInterruptKey: () => Promise<boolean>;
}

const CTRL_C = 0x03;
/** How bash shows a Ctrl-C, heard or typed as a character. */
const ECHO = '^C';
/** A prompt usually comes within some milliseconds. Waits double up to the longest. */
const FIRST_WAIT_MS = 16;
const MAX_WAIT_MS = 1_024;
/** One second, which is also enough for a Ctrl-C that was typed just before a prompt; seven where bash has not answered. */
const WAKE_UPS = 6;
const WAKE_UPS_WITHOUT_PROMPT = 12;
/** After half a second of silence every other wake-up is a SIGINT: alone, so that no handler of another signal takes it in. */
const ASKED_AGAIN_AFTER = 5;

export class InterruptWatch {
  readonly #shell: WatchedShell;
  #place: 'prompt' | 'line' | 'elsewhere' = 'elsewhere';
  #timer: NodeJS.Timeout | undefined;
  #wakeUps = 0;
  /** Since the last Ctrl-C: bash has not answered it. */
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

  told(frame: ShellFrame): void {
    if (frame.kind === 'more-ticks' || frame.kind === 'meanings') return;
    // A Ctrl-C before that was for the program that the key started: a SIGINT now would take the line that is edited.
    if (frame.kind === 'key-ended') {
      this.#isUnanswered = false;
      return;
    }
    this.#place = frame.kind === 'prompt' || frame.kind === 'line' ? frame.kind : 'elsewhere';
    if (frame.kind !== 'line') this.#isUnanswered = false;
  }

  /** @param isOver not when bash asks for more of the same line */
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
