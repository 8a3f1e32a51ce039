/** Replaced keys, and requests for new keys, of a memory store. */
import type { KeyRequest, ReplacedKey, RequesterKeyWriter } from '../../src/store/key-rows.ts';
import type { Credential, Subject } from '../../src/store/store.ts';

export interface KeyTables {
  readonly subjects: Map<string, Subject>;
  readonly tokens: Map<string, Credential>;
  readonly replacedKeys: Map<string, ReplacedKey>;
  readonly keyRequests: Map<string, KeyRequest>;
}

/** Writes one row so that the change can be undone; `undefined` removes the row. */
type SetRow = <Row>(table: Map<string, Row>, key: string, row: Row | undefined) => void;

export class MemoryKeys implements RequesterKeyWriter {
  readonly #tables: KeyTables;
  readonly #set: SetRow;
  constructor(tables: KeyTables, set: SetRow) {
    this.#tables = tables;
    this.#set = set;
  }

  async replacedKey(publicKey: string) {
    return this.#tables.replacedKeys.get(publicKey);
  }
  async replacedKeysOf(requesterId: string, limit: number) {
    const own = [...this.#tables.replacedKeys.values()].filter((one) => one.requesterId === requesterId);
    return own.sort((left, right) => right.replacedAtMs - left.replacedAtMs).slice(0, limit);
  }
  async lastReplacements() {
    const last = new Map<string, number>();
    for (const { requesterId, replacedAtMs } of this.#tables.replacedKeys.values())
      last.set(requesterId, Math.max(replacedAtMs, last.get(requesterId) ?? 0));
    return last;
  }
  async keyRequest(requesterId: string) {
    return this.#tables.keyRequests.get(requesterId);
  }
  async keyRequests() {
    return [...this.#tables.keyRequests.values()].sort((left, right) => left.askedAtMs - right.askedAtMs);
  }
  async replaceKey(replaced: ReplacedKey) {
    const { requesterId, publicKey, replacedBy } = replaced;
    const subject = this.#tables.subjects.get(requesterId);
    if (subject?.role !== 'requester' || subject.publicKey !== publicKey || subject.revokedAtMs !== null) return false;
    this.#set(this.#tables.subjects, requesterId, { ...subject, publicKey: replacedBy });
    this.#set(this.#tables.replacedKeys, publicKey, replaced);
    this.#set(this.#tables.keyRequests, requesterId, undefined);
    await this.endTokensOf(requesterId);
    return true;
  }
  async insertKeyRequest(request: KeyRequest) {
    if (this.#tables.keyRequests.has(request.requesterId)) return false;
    this.#set(this.#tables.keyRequests, request.requesterId, request);
    return true;
  }
  async endTokensOf(requesterId: string) {
    for (const { hash, subjectId } of [...this.#tables.tokens.values()])
      if (subjectId === requesterId) this.#set(this.#tables.tokens, hash, undefined);
  }
}
