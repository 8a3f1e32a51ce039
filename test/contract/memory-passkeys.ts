/** Passkeys, recovery codes and the owner's settings of a memory store. */
import type { Passkey, PasskeyUse, PasskeyWriter } from '../../src/store/passkeys.ts';
import type { ApproverSession, Subject } from '../../src/store/store.ts';

export interface RecoveryCode {
  readonly subjectId: string;
  readonly usedAtMs: number | null;
}

export interface PasskeyTables {
  readonly subjects: Map<string, Subject>;
  readonly sessions: Map<string, ApproverSession>;
  readonly passkeys: Map<string, Passkey>;
  readonly recoveryCodes: Map<string, RecoveryCode>;
  readonly ownerSettings: Map<string, string>;
}

/** Writes one row so that the change can be undone; `undefined` removes the row. */
type SetRow = <Row>(table: Map<string, Row>, key: string, row: Row | undefined) => void;

export class MemoryPasskeys implements PasskeyWriter {
  readonly #tables: PasskeyTables;
  readonly #set: SetRow;
  constructor(tables: PasskeyTables, set: SetRow) {
    this.#tables = tables;
    this.#set = set;
  }

  async passkey(id: string) {
    return this.#tables.passkeys.get(id);
  }
  async passkeyByCredential(credentialId: string) {
    return [...this.#tables.passkeys.values()].find((one) => one.credentialId === credentialId);
  }
  async passkeysOf(subjectId: string) {
    const own = [...this.#tables.passkeys.values()].filter(
      (one) => one.subjectId === subjectId && one.revokedAtMs === null,
    );
    return own.sort(oldestFirst);
  }
  async countRecoveryCodes(subjectId: string) {
    const codes = [...this.#tables.recoveryCodes.values()];
    return codes.filter((code) => code.subjectId === subjectId && code.usedAtMs === null).length;
  }
  async recoveryCodeIsLive(hash: string) {
    const code = this.#tables.recoveryCodes.get(hash);
    if (code === undefined || code.usedAtMs !== null) return false;
    return this.#tables.subjects.get(code.subjectId)?.revokedAtMs === null;
  }
  async approvers() {
    return [...this.#tables.subjects.values()]
      .filter(({ role }) => role === 'approver' || role === 'auditor')
      .sort(oldestFirst);
  }
  async ownerSetting(name: string) {
    return this.#tables.ownerSettings.get(name);
  }

  async insertPasskey(passkey: Passkey) {
    if (this.#tables.passkeys.has(passkey.id) || (await this.passkeyByCredential(passkey.credentialId)) !== undefined)
      throw new Error('passkey exists');
    this.#set(this.#tables.passkeys, passkey.id, passkey);
  }
  async renamePasskey(id: string, name: string) {
    return this.#change(id, { name }, ({ revokedAtMs }) => revokedAtMs === null);
  }
  async usePasskey({ id, counterBefore, counter, isBackedUp, atMs }: PasskeyUse) {
    return this.#change(
      id,
      { counter, isBackedUp, lastUsedAtMs: atMs },
      (one) => one.counter === counterBefore && one.revokedAtMs === null && one.copiedAtMs === null,
    );
  }
  async revokePasskey(id: string, atMs: number) {
    this.#endSessions(id);
    return this.#change(id, { revokedAtMs: atMs }, ({ revokedAtMs }) => revokedAtMs === null);
  }
  async putPasskeyAside(id: string, atMs: number) {
    this.#endSessions(id);
    return this.#change(id, { copiedAtMs: atMs }, ({ copiedAtMs }) => copiedAtMs === null);
  }
  async bindSession(hash: string, passkeyId: string) {
    const session = this.#tables.sessions.get(hash);
    if (session?.passkeyId === null) this.#set(this.#tables.sessions, hash, { ...session, passkeyId });
  }
  async replaceRecoveryCodes(subjectId: string, hashes: readonly string[], _atMs: number) {
    const { recoveryCodes } = this.#tables;
    for (const [hash, code] of recoveryCodes)
      if (code.subjectId === subjectId) this.#set(recoveryCodes, hash, undefined);
    for (const hash of hashes) this.#set(recoveryCodes, hash, { subjectId, usedAtMs: null });
  }
  async spendRecoveryCode(hash: string, atMs: number) {
    const code = this.#tables.recoveryCodes.get(hash);
    if (code === undefined || code.usedAtMs !== null) return undefined;
    this.#set(this.#tables.recoveryCodes, hash, { ...code, usedAtMs: atMs });
    return code.subjectId;
  }
  async setOwnerSetting(name: string, value: string) {
    this.#set(this.#tables.ownerSettings, name, value);
  }

  #change(id: string, change: Partial<Passkey>, isMeant: (passkey: Passkey) => boolean): boolean {
    const passkey = this.#tables.passkeys.get(id);
    if (passkey === undefined || !isMeant(passkey)) return false;
    this.#set(this.#tables.passkeys, id, { ...passkey, ...change });
    return true;
  }

  #endSessions(passkeyId: string): void {
    for (const [hash, session] of this.#tables.sessions)
      if (session.passkeyId === passkeyId) this.#set(this.#tables.sessions, hash, undefined);
  }
}

const oldestFirst = (left: Passkey | Subject, right: Passkey | Subject): number =>
  left.createdAtMs - right.createdAtMs || (left.id < right.id ? -1 : 1);
