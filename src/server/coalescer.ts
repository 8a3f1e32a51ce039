/**
 * Combines calls that come at the same time into one batch, such as one query. Calls that come while a batch is under way wait for the next
 * batch. If many calls wait, a second batch begins before the first batch has ended: a batch mostly waits for the database.
 */
import { setImmediate as nextTick } from 'node:timers/promises';

/** The most calls in one batch. Further calls wait for the next batch. */
const MAX_TOGETHER = 64;

/**
 * A second series of batches begins only if this many calls wait: a smaller second batch costs the database more than it saves. Later
 * batches of the series may be smaller.
 */
const MIN_FOR_SECOND = 8;

const MAX_UNDER_WAY = 2;

interface Waiting<Asked, Answer> {
  readonly asked: Asked;
  readonly key: string;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

/** @property keyOf returns the key of a call; two batches that are under way at the same time have no key in common */
interface Options<Asked> {
  readonly keyOf: (asked: Asked) => string;
}

export class Coalescer<Asked, Answer> {
  readonly #work: (all: readonly Asked[]) => Promise<readonly Answer[]>;
  readonly #keyOf: (asked: Asked) => string;
  #waiting: Waiting<Asked, Answer>[] = [];
  readonly #keysUnderWay = new Set<string>();
  #underWay = 0;

  /** @param work does one batch: returns an answer for each call of `all`, in the same order; if `work` throws, all these calls reject */
  constructor(work: (all: readonly Asked[]) => Promise<readonly Answer[]>, { keyOf }: Options<Asked>) {
    this.#work = work;
    this.#keyOf = keyOf;
  }

  /** Resolves with the answer for this call; rejects with the error of the batch that contained the call. */
  do(asked: Asked): Promise<Answer> {
    const done = new Promise<Answer>((resolve, reject) =>
      this.#waiting.push({ asked, key: this.#keyOf(asked), resolve, reject }),
    );
    if (this.#underWay === 0 || (this.#underWay < MAX_UNDER_WAY && this.#waiting.length >= MIN_FOR_SECOND))
      void this.#workOff();
    return done;
  }

  async #workOff(): Promise<void> {
    this.#underWay += 1;
    for (;;) {
      await nextTick(); // lets the event loop read the calls that have come in by now
      const all = this.#take();
      if (all.length === 0) break;
      await this.#workOn(all);
    }
    this.#underWay -= 1;
  }

  /** Takes the calls that have waited longest. Calls whose key is under way stay in the queue. */
  #take(): readonly Waiting<Asked, Answer>[] {
    const free = this.#waiting.filter(({ key }) => !this.#keysUnderWay.has(key)).slice(0, MAX_TOGETHER);
    const taken = new Set(free);
    this.#waiting = this.#waiting.filter((each) => !taken.has(each));
    return free;
  }

  async #workOn(all: readonly Waiting<Asked, Answer>[]): Promise<void> {
    const keys = new Set(all.map(({ key }) => key));
    for (const key of keys) this.#keysUnderWay.add(key);
    try {
      const answers = await this.#work(all.map(({ asked }) => asked));
      for (const [index, { resolve }] of all.entries()) resolve(answers[index] as Answer);
    } catch (error) {
      for (const { reject } of all) reject(error);
    } finally {
      for (const key of keys) this.#keysUnderWay.delete(key);
    }
  }
}
