/**
 * One writer per session. While the Enter is on its way, the answers to hooks are held back: a harness waits for its
 * hook before it opens the dialog the hook is about, so that no dialog can open between our last look and our key.
 */
import { type Clock, systemClock } from '../../platform/clock.ts';

/** A hook is never held longer; `apes hooks report` itself gives up after 2 s. */
const MAX_HOLD_MS = 1_500;
/** More waiting messages than this are refused. */
const MAX_QUEUE_LENGTH = 8;

export class Writer {
  /** What was pasted and not submitted: the same text, sent again, needs only its Enter. */
  unsent: string | null = null;
  /**
   * What the editor showed in its place, where it folds a long paste: another one of the same size is a person's draft.
   */
  standIn: string | null = null;
  /** What was submitted last, and when (Unix ms): its report can be faster than the screen. */
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

  /** Unix ms at which hooks that were held back, and after which a dialog may open, got their answer; 0 before the first. */
  get answeredAtMs(): number {
    return this.#answeredAtMs;
  }

  /** In turn; null when too many wait already. */
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

  release(): void {
    const held = this.#held;
    this.#held = null;
    if (held === null) return;
    if (this.#hasHeldBack) this.#answeredAtMs = this.#clock.nowMs();
    this.#hasHeldBack = false;
    held.release();
  }

  /** For the part that answers a hook: fulfilled when no key is on its way. */
  async whenReleased(mayOpenDialog: boolean): Promise<void> {
    if (this.#held === null) return;
    this.#hasHeldBack ||= mayOpenDialog;
    await this.#held.released;
  }
}
