/** Keeps calls with an idempotency key in a table of a memory store. */
import type { IdempotencyRows, IdempotentCall } from './idempotency-rows.ts';

/** Sets the row with this key. If `row` is undefined, removes the row. */
type SetRow = <Row>(table: Map<string, Row>, key: string, row: Row | undefined) => void;

const placeOf = ({ subjectId, keyHash }: Pick<IdempotentCall, 'subjectId' | 'keyHash'>) => `${subjectId}/${keyHash}`;

export class MemoryIdempotencyRows implements IdempotencyRows {
  readonly #calls: Map<string, IdempotentCall>;
  readonly #set: SetRow;
  constructor(calls: Map<string, IdempotentCall>, set: SetRow) {
    this.#calls = calls;
    this.#set = set;
  }

  async idempotentCall(subjectId: string, keyHash: string) {
    return this.#calls.get(placeOf({ subjectId, keyHash }));
  }
  async countIdempotentCalls(subjectId: string) {
    return [...this.#calls.values()].filter((call) => call.subjectId === subjectId).length;
  }
  async insertIdempotentCall(call: IdempotentCall) {
    if (this.#calls.has(placeOf(call))) throw new Error('the key is in use');
    this.#set(this.#calls, placeOf(call), call);
  }
  async endIdempotentCall({ status, answer, ...whose }: IdempotentCall) {
    const call = this.#calls.get(placeOf(whose));
    if (call !== undefined) this.#set(this.#calls, placeOf(whose), { ...call, status, answer });
  }
  async removeIdempotentCall(whose: Pick<IdempotentCall, 'subjectId' | 'keyHash'>) {
    this.#set(this.#calls, placeOf(whose), undefined);
  }
  async pruneIdempotentCalls(beforeMs: number) {
    for (const call of this.#calls.values())
      if (call.startedAtMs < beforeMs) this.#set(this.#calls, placeOf(call), undefined);
  }
}
