/** Stores calls with an idempotency key: what was asked, and what was answered. */
import type { Kysely } from 'kysely';
import type { Tables } from './sql-tables.ts';

/**
 * @property keyHash    SHA-256 of the key, hex
 * @property callDigest SHA-256 of the call and its body, hex
 * @property status     HTTP status of the answer; null: the call has not ended yet, or its end is unknown
 * @property answer     body of the answer, as JSON; null in three cases: `status` is null, the answer has no body, or the body may be given
 *                      only once
 */
export interface IdempotentCall {
  readonly subjectId: string;
  readonly keyHash: string;
  readonly callDigest: string;
  readonly startedAtMs: number;
  readonly status: number | null;
  readonly answer: string | null;
}

export interface IdempotencyRow {
  subject_id: string;
  key_hash: string;
  call_digest: string;
  started_at_ms: number;
  status: number | null;
  answer: string | null;
}

/** The caller must call `lockRequest` for the key first, so that two calls with one key cannot run at the same time. */
export interface IdempotencyRows {
  idempotentCall(subjectId: string, keyHash: string): Promise<IdempotentCall | undefined>;
  countIdempotentCalls(subjectId: string): Promise<number>;
  /** Throws if this key of the subject is stored already. */
  insertIdempotentCall(call: IdempotentCall): Promise<void>;
  /** Writes status and answer of a call that has ended. Does nothing if the call is not stored. */
  endIdempotentCall(call: IdempotentCall): Promise<void>;
  /** Removes the call, so that its key counts as unused. */
  removeIdempotentCall(call: Pick<IdempotentCall, 'subjectId' | 'keyHash'>): Promise<void>;
  /** Removes the calls that began before `beforeMs`. */
  pruneIdempotentCalls(beforeMs: number): Promise<void>;
}

export class SqlIdempotencyRows implements IdempotencyRows {
  readonly #db: Kysely<Tables>;
  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  async idempotentCall(subjectId: string, keyHash: string) {
    const row = await this.#db
      .selectFrom('idempotent_calls')
      .selectAll()
      .where('subject_id', '=', subjectId)
      .where('key_hash', '=', keyHash)
      .executeTakeFirst();
    return row && callOf(row);
  }

  async countIdempotentCalls(subjectId: string) {
    const { count } = await this.#db
      .selectFrom('idempotent_calls')
      .select((of) => of.fn.countAll<number>().as('count'))
      .where('subject_id', '=', subjectId)
      .executeTakeFirstOrThrow();
    return count;
  }

  async insertIdempotentCall(call: IdempotentCall) {
    await this.#db.insertInto('idempotent_calls').values(callRow(call)).execute();
  }

  async endIdempotentCall({ subjectId, keyHash, status, answer }: IdempotentCall) {
    await this.#db
      .updateTable('idempotent_calls')
      .set({ status, answer })
      .where('subject_id', '=', subjectId)
      .where('key_hash', '=', keyHash)
      .execute();
  }

  async removeIdempotentCall({ subjectId, keyHash }: Pick<IdempotentCall, 'subjectId' | 'keyHash'>) {
    await this.#db
      .deleteFrom('idempotent_calls')
      .where('subject_id', '=', subjectId)
      .where('key_hash', '=', keyHash)
      .execute();
  }

  async pruneIdempotentCalls(beforeMs: number) {
    await this.#db.deleteFrom('idempotent_calls').where('started_at_ms', '<', beforeMs).execute();
  }
}

const callOf = (row: IdempotencyRow): IdempotentCall => ({
  subjectId: row.subject_id,
  keyHash: row.key_hash,
  callDigest: row.call_digest,
  startedAtMs: row.started_at_ms,
  status: row.status,
  answer: row.answer,
});

const callRow = (call: IdempotentCall): IdempotencyRow => ({
  subject_id: call.subjectId,
  key_hash: call.keyHash,
  call_digest: call.callDigest,
  started_at_ms: call.startedAtMs,
  status: call.status,
  answer: call.answer,
});
