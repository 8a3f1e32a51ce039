/** Reads and writes passkeys, recovery codes and the owner's settings by SQL, on one connection or in one transaction. */
import type { Kysely } from 'kysely';
import { passkeyOf, passkeyRow } from './passkey-tables.ts';
import type { Passkey, PasskeyUse, PasskeyWriter } from './passkeys.ts';
import type { ReadOnce } from './read-once.ts';
import type { Tables } from './sql-tables.ts';
import { subjectOf } from './subject-rows.ts';

export class SqlPasskeys implements PasskeyWriter {
  readonly #db: Kysely<Tables>;
  readonly #once: ReadOnce;
  constructor(db: Kysely<Tables>, once: ReadOnce) {
    this.#db = db;
    this.#once = once;
  }

  async passkey(id: string) {
    const row = await this.#db.selectFrom('passkeys').selectAll().where('id', '=', id).executeTakeFirst();
    return row && passkeyOf(row);
  }

  async passkeyByCredential(credentialId: string) {
    const row = await this.#db
      .selectFrom('passkeys')
      .selectAll()
      .where('credential_id', '=', credentialId)
      .executeTakeFirst();
    return row && passkeyOf(row);
  }

  async passkeysOf(subjectId: string) {
    const rows = await this.#db
      .selectFrom('passkeys')
      .selectAll()
      .where('subject_id', '=', subjectId)
      .where('revoked_at_ms', 'is', null)
      .orderBy('created_at_ms')
      .orderBy('id')
      .execute();
    return rows.map(passkeyOf);
  }

  async countRecoveryCodes(subjectId: string) {
    const row = await this.#db
      .selectFrom('recovery_codes')
      .select((of) => of.fn.countAll<number>().as('count'))
      .where('subject_id', '=', subjectId)
      .where('used_at_ms', 'is', null)
      .executeTakeFirstOrThrow();
    return row.count;
  }

  async recoveryCodeIsLive(hash: string) {
    const row = await this.#db
      .selectFrom('recovery_codes')
      .innerJoin('subjects', 'subjects.id', 'recovery_codes.subject_id')
      .select('hash')
      .where('hash', '=', hash)
      .where('used_at_ms', 'is', null)
      .where('subjects.revoked_at_ms', 'is', null)
      .executeTakeFirst();
    return row !== undefined;
  }

  async approvers() {
    const rows = await this.#db
      .selectFrom('subjects')
      .selectAll()
      .where('role', '=', 'approver')
      .where((is) => is.or([is('duty', 'is', null), is('duty', '<>', 'break-glass')]))
      .orderBy('created_at_ms')
      .orderBy('id')
      .execute();
    return rows.map(subjectOf);
  }

  async ownerSetting(name: string) {
    // This query reads all settings together: there are few settings, and a page needs several of them.
    const all = await this.#once('owner settings', () => this.#db.selectFrom('owner_settings').selectAll().execute());
    return all.find((row) => row.name === name)?.value;
  }

  async insertPasskey(passkey: Passkey) {
    await this.#db.insertInto('passkeys').values(passkeyRow(passkey)).execute();
  }

  async renamePasskey(id: string, name: string) {
    const { numUpdatedRows } = await this.#db
      .updateTable('passkeys')
      .set({ name })
      .where('id', '=', id)
      .where('revoked_at_ms', 'is', null)
      .executeTakeFirst();
    return numUpdatedRows === 1n;
  }

  async usePasskey({ id, counterBefore, counter, isBackedUp, atMs }: PasskeyUse) {
    const { numUpdatedRows } = await this.#db
      .updateTable('passkeys')
      .set({ counter, is_backed_up: isBackedUp ? 1 : 0, last_used_at_ms: atMs })
      .where('id', '=', id)
      .where('counter', '=', counterBefore)
      .where('revoked_at_ms', 'is', null)
      .where('copied_at_ms', 'is', null)
      .executeTakeFirst();
    return numUpdatedRows === 1n;
  }

  async revokePasskey(id: string, atMs: number) {
    return this.#endPasskey(id, { revoked_at_ms: atMs }, 'revoked_at_ms');
  }

  async putPasskeyAside(id: string, atMs: number) {
    return this.#endPasskey(id, { copied_at_ms: atMs }, 'copied_at_ms');
  }

  async bindSession(hash: string, passkeyId: string) {
    await this.#db
      .updateTable('sessions')
      .set({ passkey_id: passkeyId })
      .where('hash', '=', hash)
      .where('passkey_id', 'is', null)
      .execute();
  }

  async replaceRecoveryCodes(subjectId: string, hashes: readonly string[], atMs: number) {
    await this.#db.deleteFrom('recovery_codes').where('subject_id', '=', subjectId).execute();
    const rows = hashes.map((hash) => ({ hash, subject_id: subjectId, created_at_ms: atMs, used_at_ms: null }));
    if (rows.length > 0) await this.#db.insertInto('recovery_codes').values(rows).execute();
  }

  async spendRecoveryCode(hash: string, atMs: number) {
    const row = await this.#db
      .updateTable('recovery_codes')
      .set({ used_at_ms: atMs })
      .where('hash', '=', hash)
      .where('used_at_ms', 'is', null)
      .returning('subject_id')
      .executeTakeFirst();
    return row?.subject_id;
  }

  async setOwnerSetting(name: string, value: string) {
    await this.#db
      .insertInto('owner_settings')
      .values({ name, value })
      .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
      .execute();
  }

  async #endPasskey(
    id: string,
    change: { revoked_at_ms?: number; copied_at_ms?: number },
    column: 'revoked_at_ms' | 'copied_at_ms',
  ): Promise<boolean> {
    const { numUpdatedRows } = await this.#db
      .updateTable('passkeys')
      .set(change)
      .where('id', '=', id)
      .where(column, 'is', null)
      .executeTakeFirst();
    await this.#db.deleteFrom('sessions').where('passkey_id', '=', id).execute();
    return numUpdatedRows === 1n;
  }
}
