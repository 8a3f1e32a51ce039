/**
 * Units of work that wait at the same time share one commit: bringing it to the disk costs far more than what is in it. Each unit
 * has a savepoint of its own, so one that fails takes nothing with it, and none is answered before the commit.
 */
import { setImmediate as nextTick } from 'node:timers/promises';

/** So many share one commit; readers wait as long. */
const MAX_UNITS = 64;

/** Statements that begin and end things, on the one connection; `isOpen`: a transaction is under way. */
export interface CommitPort {
  run(text: string): void;
  isOpen(): boolean;
}

interface Unit {
  readonly work: () => Promise<unknown>;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

export class SharedCommits {
  readonly #port: CommitPort;
  readonly #inTurn: (work: () => Promise<void>) => Promise<void>;
  readonly #waiting: Unit[] = [];
  #isCalled = false;

  /** @param inTurn runs something when nothing else uses the connection */
  constructor(port: CommitPort, inTurn: (work: () => Promise<void>) => Promise<void>) {
    this.#port = port;
    this.#inTurn = inTurn;
  }

  /** Resolves with what `work` gave once it is committed; rejects when it, or the commit, failed. */
  run<T>(work: () => Promise<T>): Promise<T> {
    const done = new Promise<T>((resolve, reject) => {
      this.#waiting.push({ work, resolve: resolve as Unit['resolve'], reject });
    });
    if (!this.#isCalled) {
      this.#isCalled = true;
      void this.#inTurn(() => this.#commitWaiting());
    }
    return done;
  }

  /** Never rejects: a failure goes to its units. */
  async #commitWaiting(): Promise<void> {
    const worked: { readonly unit: Unit; readonly value: unknown }[] = [];
    let hasBegun = false;
    try {
      this.#port.run('begin immediate');
      hasBegun = true;
      for (;;) {
        const unit = await this.#next(worked.length);
        if (unit === undefined) break;
        const value = await this.#work(unit);
        if (value !== FAILED) worked.push({ unit, value });
      }
      this.#port.run('commit');
      for (const { unit, value } of worked) unit.resolve(value);
    } catch (error) {
      for (const { unit } of worked) unit.reject(error);
      if (!hasBegun) this.#waiting.shift()?.reject(error);
      this.#rollBack();
    }
    this.#isCalled = this.#waiting.length > 0;
    if (this.#isCalled) void this.#inTurn(() => this.#commitWaiting());
  }

  /** On a full disk SQLite takes the transaction back by itself. What cannot be taken back makes the next one fail to begin. */
  #rollBack(): void {
    try {
      if (this.#port.isOpen()) this.#port.run('rollback');
    } catch {}
  }

  /** Calls that came in meanwhile are read in the next turn of the event loop, and join. */
  async #next(count: number): Promise<Unit | undefined> {
    if (this.#waiting.length === 0) await nextTick();
    return count < MAX_UNITS ? this.#waiting.shift() : undefined;
  }

  /** Throws when the whole transaction is gone with this unit. */
  async #work(unit: Unit): Promise<unknown> {
    try {
      this.#port.run('savepoint unit');
      const value = await unit.work();
      this.#port.run('release unit');
      return value;
    } catch (error) {
      unit.reject(error);
      if (!this.#port.isOpen()) throw error;
      for (const text of ['rollback to unit', 'release unit']) this.#port.run(text);
      return FAILED;
    }
  }
}

/** Of a unit that was told already. */
const FAILED = Symbol('failed');
