/** Calls of one moment that are done by one piece of work: what comes while one is under way waits, and is done by the next. */

/** So many are done at once; what waits beyond that is done by the one after. */
const MAX_TOGETHER = 64;

interface Waiting<Asked, Answer> {
  readonly asked: Asked;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

export class Together<Asked, Answer> {
  readonly #work: (all: readonly Asked[]) => Promise<readonly Answer[]>;
  readonly #waiting: Waiting<Asked, Answer>[] = [];
  #isUnderWay = false;

  /** @param work one answer for each that is asked, in the same order; what it throws, all of them get */
  constructor(work: (all: readonly Asked[]) => Promise<readonly Answer[]>) {
    this.#work = work;
  }

  do(asked: Asked): Promise<Answer> {
    const done = new Promise<Answer>((resolve, reject) => this.#waiting.push({ asked, resolve, reject }));
    if (!this.#isUnderWay) void this.#workOff();
    return done;
  }

  async #workOff(): Promise<void> {
    this.#isUnderWay = true;
    while (this.#waiting.length > 0) {
      const all = this.#waiting.splice(0, MAX_TOGETHER);
      try {
        const answers = await this.#work(all.map(({ asked }) => asked));
        for (const [index, { resolve }] of all.entries()) resolve(answers[index] as Answer);
      } catch (error) {
        for (const { reject } of all) reject(error);
      }
    }
    this.#isUnderWay = false;
  }
}
