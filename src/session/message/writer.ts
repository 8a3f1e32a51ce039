/**
 * Delays the answers to hooks while we send a message or an Enter. Each session has one writer. A harness opens a dialog only after the
 * answer to the hook that announces the dialog. So no dialog can open between our last reading of the screen and our key.
 */
import { type Clock, systemClock } from '../../platform/clock.ts';

/** The longest delay for a hook; `apes hooks report` itself gives up after 2 s. */
const MAX_HOLD_MS = 1_500;
/** The most messages at once, including the message that is being sent. A further message is refused. */
const MAX_QUEUE_LENGTH = 8;

export class Writer {
  /** The text that was pasted but not submitted; null: no such text. If the same text is sent again, only Enter has to be written. */
  unsent: string | null = null;
  /**
   * The placeholder that the editor showed for `unsent`; null: the editor has not folded the paste. Any other placeholder is a person's
   * draft, even if both placeholders show the same number of lines or characters.
   */
  placeholder: string | null = null;
  /**
   * The last submitted text, and when it was submitted (Unix ms); null: no text was submitted yet. The screen can still show the text in
   * the editor for a moment.
   */
  submitted: { readonly text: string; readonly atMs: number } | null = null;
  readonly #clock: Clock;
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;
  #held: { readonly released: Promise<void>; readonly release: () => void } | null = null;
  #hasHeldBack = false;
  #answeredAtMs = 0;

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
  }

  /** When we last sent a delayed answer after which the harness can open a dialog (Unix ms); 0: never. */
  get answeredAtMs(): number {
    return this.#answeredAtMs;
  }

  /**
   * Does the work after all earlier work, and then calls `release`. If the work rejects, the caller gets the rejection; `release` and later
   * work still follow. If too much work is waiting, does nothing and resolves to null.
   */
  async inTurn<T>(work: () => Promise<T>): Promise<T | null> {
    if (this.#waiting >= MAX_QUEUE_LENGTH) return null;
    this.#waiting += 1;
    const before = this.#last;
    const mine = before.then(work).finally(() => {
      this.#waiting -= 1;
      this.release();
    });
    this.#last = mine.catch(() => undefined);
    return mine;
  }

  /** Delays the answers to hooks until `release`, or until `MAX_HOLD_MS` have passed. A second call does not prolong a delay that has begun. */
  hold(): void {
    if (this.#held !== null) return;
    let open: () => void = () => undefined;
    const released = new Promise<void>((resolve) => {
      open = resolve;
    });
    const timer = setTimeout(() => this.release(), MAX_HOLD_MS);
    this.#held = {
      released,
      release: () => {
        clearTimeout(timer);
        open();
      },
    };
  }

  /** Ends the delay. The answers that were delayed are sent now. */
  release(): void {
    const held = this.#held;
    this.#held = null;
    if (held === null) return;
    if (this.#hasHeldBack) this.#answeredAtMs = this.#clock.nowMs();
    this.#hasHeldBack = false;
    held.release();
  }

  /**
   * Call this before a hook is answered. If there is no delay, resolves at once. If there is a delay, resolves when the delay ends.
   * @param mayOpenDialog whether the harness can open a dialog after this answer
   */
  async whenReleased(mayOpenDialog: boolean): Promise<void> {
    if (this.#held === null) return;
    this.#hasHeldBack ||= mayOpenDialog;
    await this.#held.released;
  }
}
