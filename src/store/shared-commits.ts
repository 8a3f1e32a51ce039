/**
 * Units of work that wait at the same time share one commit. The reason: the write to the disk takes far longer than the work. Each unit
 * has its own savepoint. So a unit that fails undoes only its own changes. A unit never resolves before the commit.
 */
import { setImmediate as nextTick } from 'node:timers/promises';

/** The most units that share one commit; a failed unit counts too. There is a limit because readers wait for the whole commit. */
const MAX_UNITS = 64;

/** Runs statements for transactions and savepoints on the only connection. `isOpen` returns whether a transaction is open. */
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
  #isScheduled = false;

  /** @param inTurn runs `work` when nothing else uses the connection */
  constructor(port: CommitPort, inTurn: (work: () => Promise<void>) => Promise<void>) {
    this.#port = port;
    this.#inTurn = inTurn;
  }

  /**
   * Resolves with the result of `work` after the commit; rejects if `work` or the transaction fails. `work` must not wait for another
   * `run`: the other work begins only after this `work` has ended.
   */
  run<T>(work: () => Promise<T>): Promise<T> {
    const done = new Promise<T>((resolve, reject) => {
      this.#waiting.push({ work, resolve: resolve as Unit['resolve'], reject });
    });
    if (!this.#isScheduled) {
      this.#isScheduled = true;
      void this.#inTurn(() => this.#commitWaiting());
    }
    return done;
  }

  /**
   * The returned promise never rejects. If the commit fails, all units of the commit reject. If the transaction cannot begin, only the
   * first waiting unit rejects.
   */
  async #commitWaiting(): Promise<void> {
    const finished: { readonly unit: Unit; readonly value: unknown }[] = [];
    let hasBegun = false;
    try {
      this.#port.run('begin immediate');
      hasBegun = true;
      for (let count = 0; ; count += 1) {
        const unit = await this.#next(count);
        if (unit === undefined) break;
        const value = await this.#work(unit);
        if (value !== FAILED) finished.push({ unit, value });
      }
      this.#port.run('commit');
      for (const { unit, value } of finished) unit.resolve(value);
    } catch (error) {
      for (const { unit } of finished) unit.reject(error);
      if (!hasBegun) this.#waiting.shift()?.reject(error);
      this.#rollBack();
    }
    this.#isScheduled = this.#waiting.length > 0;
    if (this.#isScheduled) void this.#inTurn(() => this.#commitWaiting());
  }

  /** On a full disk SQLite rolls the transaction back by itself. If a rollback fails, the next transaction fails to begin. */
  #rollBack(): void {
    try {
      if (this.#port.isOpen()) this.#port.run('rollback');
    } catch {}
  }

  /**
   * Returns the next unit of this commit. If no unit waits, lets the event loop run once: a request that has arrived may add a unit.
   * Returns undefined in two cases: still no unit waits, or this commit already has `MAX_UNITS`.
   */
  async #next(count: number): Promise<Unit | undefined> {
    if (this.#waiting.length === 0) await nextTick();
    return count < MAX_UNITS ? this.#waiting.shift() : undefined;
  }

  /** Returns `FAILED` if only this unit failed; throws if the error ended the whole transaction. */
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

/** Marks a unit that was already rejected. */
const FAILED = Symbol('failed');
