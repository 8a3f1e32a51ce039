/** Stores the replaced keys of requesters, and which requesters are asked to make a new key. */
import type { Kysely } from 'kysely';
import type { Tables } from './sql-tables.ts';

/**
 * A key that the requester had until `replacedAtMs`. Keys are raw Ed25519, base64url.
 * @property replacedBy the requester's next key
 */
export interface ReplacedKey {
  readonly publicKey: string;
  readonly requesterId: string;
  readonly replacedBy: string;
  readonly replacedAtMs: number;
}

/**
 * The requester is asked to make a new key.
 * @property byId the subject that asked; null: a person on the command line of the server's machine
 */
export interface KeyRequest {
  readonly requesterId: string;
  readonly askedAtMs: number;
  readonly byId: string | null;
}

export interface RequesterKeyReader {
  /** Returns undefined if this key was never replaced. */
  replacedKey(publicKey: string): Promise<ReplacedKey | undefined>;
  /**
   * Returns the earlier keys of this requester. The key that was replaced last comes first.
   * @param limit 1 to 100
   */
  replacedKeysOf(requesterId: string, limit: number): Promise<readonly ReplacedKey[]>;
  /** Returns the time (Unix ms) of the last replacement, by the id of the requester. Contains only requesters that have replaced a key. */
  lastReplacements(): Promise<ReadonlyMap<string, number>>;
  /** Returns undefined if this requester is not asked to make a new key. */
  keyRequest(requesterId: string): Promise<KeyRequest | undefined>;
  /** Returns the requests to all requesters, the oldest first. */
  keyRequests(): Promise<readonly KeyRequest[]>;
}

export interface RequesterKeyWriter extends RequesterKeyReader {
  /**
   * Replaces the key by compare-and-set: returns false if `publicKey` is not the requester's present key, or the requester was revoked.
   * The requester's tokens end, and the requester is no longer asked for a new key.
   */
  replaceKey(replaced: ReplacedKey): Promise<boolean>;
  /** If the requester is asked already, returns false, and the earlier request stays. */
  insertKeyRequest(request: KeyRequest): Promise<boolean>;
  /** Ends the requester's tokens, so that the requester has to prove its key again. */
  endTokensOf(requesterId: string): Promise<void>;
}

export interface ReplacedKeyRow {
  public_key: string;
  requester_id: string;
  replaced_by: string;
  replaced_at_ms: number;
}

export interface KeyRequestRow {
  requester_id: string;
  asked_at_ms: number;
  by_id: string | null;
}

const replacedOf = (row: ReplacedKeyRow): ReplacedKey => ({
  publicKey: row.public_key,
  requesterId: row.requester_id,
  replacedBy: row.replaced_by,
  replacedAtMs: Number(row.replaced_at_ms),
});

const requestOf = (row: KeyRequestRow): KeyRequest => ({
  requesterId: row.requester_id,
  askedAtMs: Number(row.asked_at_ms),
  byId: row.by_id,
});

export class SqlKeyRows implements RequesterKeyWriter {
  readonly #db: Kysely<Tables>;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  async replacedKey(publicKey: string) {
    const row = await this.#db
      .selectFrom('replaced_keys')
      .selectAll()
      .where('public_key', '=', publicKey)
      .executeTakeFirst();
    return row && replacedOf(row);
  }

  async replacedKeysOf(requesterId: string, limit: number) {
    const rows = await this.#db
      .selectFrom('replaced_keys')
      .selectAll()
      .where('requester_id', '=', requesterId)
      .orderBy('replaced_at_ms', 'desc')
      .orderBy('public_key')
      .limit(limit)
      .execute();
    return rows.map(replacedOf);
  }

  async lastReplacements() {
    const rows = await this.#db
      .selectFrom('replaced_keys')
      .select(({ fn }) => ['requester_id', fn.max('replaced_at_ms').as('last')])
      .groupBy('requester_id')
      .execute();
    return new Map(rows.map((row) => [row.requester_id, Number(row.last)]));
  }

  async keyRequest(requesterId: string) {
    const row = await this.#db
      .selectFrom('key_requests')
      .selectAll()
      .where('requester_id', '=', requesterId)
      .executeTakeFirst();
    return row && requestOf(row);
  }

  async keyRequests() {
    return (await this.#db.selectFrom('key_requests').selectAll().orderBy('asked_at_ms').execute()).map(requestOf);
  }

  async replaceKey({ publicKey, requesterId, replacedBy, replacedAtMs }: ReplacedKey) {
    const { numUpdatedRows } = await this.#db
      .updateTable('subjects')
      .set({ public_key: replacedBy })
      .where('id', '=', requesterId)
      .where('role', '=', 'requester')
      .where('public_key', '=', publicKey)
      .where('revoked_at_ms', 'is', null)
      .executeTakeFirst();
    if (numUpdatedRows !== 1n) return false;
    await this.#db
      .insertInto('replaced_keys')
      .values({
        public_key: publicKey,
        requester_id: requesterId,
        replaced_by: replacedBy,
        replaced_at_ms: replacedAtMs,
      })
      .execute();
    await this.#db.deleteFrom('key_requests').where('requester_id', '=', requesterId).execute();
    await this.endTokensOf(requesterId);
    return true;
  }

  async insertKeyRequest({ requesterId, askedAtMs, byId }: KeyRequest) {
    const { numInsertedOrUpdatedRows } = await this.#db
      .insertInto('key_requests')
      .values({ requester_id: requesterId, asked_at_ms: askedAtMs, by_id: byId })
      .onConflict((conflict) => conflict.column('requester_id').doNothing())
      .executeTakeFirst();
    return numInsertedOrUpdatedRows === 1n;
  }

  async endTokensOf(requesterId: string) {
    await this.#db.deleteFrom('tokens').where('subject_id', '=', requesterId).execute();
  }
}
