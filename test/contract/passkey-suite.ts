/** What every store promises about passkeys, recovery codes and the settings of the owner. */
import { describe, expect, it } from 'vitest';
import type { Passkey } from '../../src/store/passkeys.ts';
import type { NamedKeys, Store, Subject } from '../../src/store/store.ts';
import { must, NOW_MS, newSubject } from './store-samples.ts';

let count = 0;

function samplePasskey(of: Subject, more: Partial<Passkey> = {}): Passkey {
  count += 1;
  return {
    id: `k_${of.id}_${count}`,
    subjectId: of.id,
    rpId: 'localhost',
    credentialId: `credential-${of.id}-${count}`,
    publicKey: { kty: 'EC', crv: 'P-256', x: 'eA', y: 'eQ' },
    cose: 'pQ',
    algorithm: -7,
    counter: 4,
    transports: ['usb', 'nfc'],
    isBackedUp: false,
    name: 'keyring ü',
    createdAtMs: NOW_MS,
    lastUsedAtMs: null,
    copiedAtMs: null,
    revokedAtMs: null,
    ...more,
  };
}

/** @param connection connections to one database, like those of several servers */
export function describePasskeys(connection: (index: number) => Store): void {
  const person = () => newSubject(connection(0), { role: 'approver', publicKey: null });
  const write = <T>(index: number, work: Parameters<Store['write']>[0]) =>
    connection(index)
      .write(work)
      .then((done) => must(done).value as T);
  const read = <T>(work: Parameters<Store['read']>[0]) =>
    connection(1)
      .read(work)
      .then((done) => must(done) as T);

  async function stored(more: Partial<Passkey> = {}): Promise<Passkey> {
    const passkey = samplePasskey(await person(), more);
    await write(0, (rows) => rows.passkeys.insertPasskey(passkey));
    return passkey;
  }

  /** Stores a session that began with this passkey, and returns its hash. */
  async function sessionWith(passkey: Passkey, passkeyId: string | null = passkey.id): Promise<string> {
    const hash = `session-${passkey.id}-${String(passkeyId)}`;
    const times = { createdAtMs: NOW_MS, expiresAtMs: NOW_MS + 10, lastSeenAtMs: NOW_MS, browser: null };
    await write(0, (rows) => rows.insertSession({ hash, subjectId: passkey.subjectId, passkeyId, ...times }));
    return hash;
  }

  const isLive = async (hash: string) => (await read((rows) => rows.sessionHolder(hash, NOW_MS))) !== undefined;

  describe('passkeys', () => {
    it('are returned as they were written, by id, by credential and by person', async () => {
      const passkey = await stored();
      expect(await read((rows) => rows.passkeys.passkey(passkey.id))).toEqual(passkey);
      expect(await read((rows) => rows.passkeys.passkeyByCredential(passkey.credentialId))).toEqual(passkey);
      expect(await read((rows) => rows.passkeys.passkeysOf(passkey.subjectId))).toEqual([passkey]);
      expect(await read((rows) => rows.passkeys.passkeyByCredential('nobody'))).toBeUndefined();
    });

    it('exist once for each credential', async () => {
      const passkey = await stored();
      const again = samplePasskey(await person(), { credentialId: passkey.credentialId });
      expect((await connection(1).write((rows) => rows.passkeys.insertPasskey(again))).ok).toBe(false);
      expect(await read((rows) => rows.passkeys.passkeyByCredential(passkey.credentialId))).toEqual(passkey);
    });

    it('accept each value of the counter once, however many calls come at the same moment', async () => {
      const { id } = await stored();
      const use = { id, counterBefore: 4, counter: 5, isBackedUp: true, atMs: NOW_MS + 1 };
      const outcomes = await Promise.all(
        Array.from({ length: 8 }, (_, index) => write<boolean>(index, (rows) => rows.passkeys.usePasskey(use))),
      );
      expect(outcomes.filter(Boolean)).toHaveLength(1);
      expect(await read((rows) => rows.passkeys.passkey(id))).toMatchObject({
        counter: 5,
        isBackedUp: true,
        lastUsedAtMs: NOW_MS + 1,
      });
    });

    it('that were removed are not listed, used or renamed any more, and their sessions end', async () => {
      const passkey = await stored();
      const [ended, other] = [await sessionWith(passkey), await sessionWith(passkey, null)];
      expect(await write(1, (rows) => rows.passkeys.renamePasskey(passkey.id, 'phone'))).toBe(true);
      expect(await write(1, (rows) => rows.passkeys.revokePasskey(passkey.id, NOW_MS))).toBe(true);
      expect(await write(0, (rows) => rows.passkeys.revokePasskey(passkey.id, NOW_MS + 1))).toBe(false);
      expect([await isLive(ended), await isLive(other)]).toEqual([false, true]);
      const use = { id: passkey.id, counterBefore: 4, counter: 5, isBackedUp: false, atMs: NOW_MS };
      expect(await write(0, (rows) => rows.passkeys.usePasskey(use))).toBe(false);
      expect(await write(0, (rows) => rows.passkeys.renamePasskey(passkey.id, 'x'))).toBe(false);
      expect(await read((rows) => rows.passkeys.passkeysOf(passkey.subjectId))).toEqual([]);
      expect(await read((rows) => rows.passkeys.passkey(passkey.id))).toEqual({
        ...passkey,
        name: 'phone',
        revokedAtMs: NOW_MS,
      });
    });

    it('that were blocked are still listed, but not used any more, and their sessions end', async () => {
      const passkey = await stored();
      const ended = await sessionWith(passkey);
      expect(await write(1, (rows) => rows.passkeys.putPasskeyAside(passkey.id, NOW_MS))).toBe(true);
      expect(await isLive(ended)).toBe(false);
      const use = { id: passkey.id, counterBefore: 4, counter: 5, isBackedUp: false, atMs: NOW_MS };
      expect(await write(0, (rows) => rows.passkeys.usePasskey(use))).toBe(false);
      expect(await read((rows) => rows.passkeys.passkeysOf(passkey.subjectId))).toEqual([
        { ...passkey, copiedAtMs: NOW_MS },
      ]);
    });

    it('can be assigned to a session without a passkey, and to no other session', async () => {
      const [first, second] = [await stored(), await stored()];
      const free = await sessionWith(first, null);
      await write(0, (rows) => rows.passkeys.bindSession(free, first.id));
      await write(0, (rows) => rows.passkeys.bindSession(free, second.id));
      await write(0, (rows) => rows.passkeys.revokePasskey(second.id, NOW_MS));
      expect(await isLive(free)).toBe(true);
      await write(0, (rows) => rows.passkeys.revokePasskey(first.id, NOW_MS));
      expect(await isLive(free)).toBe(false);
    });
  });

  describe('recovery codes', () => {
    it('are used once, however many calls come at the same moment, and are replaced together', async () => {
      const { id } = await person();
      const hashes = ['a', 'b'].map((each) => `${each}-${id}`);
      await write(0, (rows) => rows.passkeys.replaceRecoveryCodes(id, hashes, NOW_MS));
      expect(await read((rows) => rows.passkeys.countRecoveryCodes(id))).toBe(2);
      const spent = await Promise.all(
        Array.from({ length: 8 }, (_, index) =>
          write<string | undefined>(index, (rows) => rows.passkeys.spendRecoveryCode(hashes[0] ?? '', NOW_MS)),
        ),
      );
      expect(spent.filter((each) => each !== undefined)).toEqual([id]);
      expect(await read((rows) => rows.passkeys.countRecoveryCodes(id))).toBe(1);
      expect(await read((rows) => rows.passkeys.recoveryCodeIsLive(hashes[0] ?? ''))).toBe(false);
      expect(await read((rows) => rows.passkeys.recoveryCodeIsLive(hashes[1] ?? ''))).toBe(true);
      await write(1, (rows) => rows.passkeys.replaceRecoveryCodes(id, [`c-${id}`], NOW_MS));
      expect(await write(0, (rows) => rows.passkeys.spendRecoveryCode(hashes[1] ?? '', NOW_MS))).toBeUndefined();
      expect(await read((rows) => rows.passkeys.countRecoveryCodes(id))).toBe(1);
    });

    it('of a revoked person are not valid', async () => {
      const { id } = await person();
      await write(0, (rows) => rows.passkeys.replaceRecoveryCodes(id, [`r-${id}`], NOW_MS));
      await write(0, (rows) => rows.revokeSubject(id, NOW_MS));
      expect(await read((rows) => rows.passkeys.recoveryCodeIsLive(`r-${id}`))).toBe(false);
    });
  });

  it('says which keys are not accepted any more: of revoked subjects, and removed or blocked passkeys', async () => {
    const ofRevoked = await stored();
    await write(0, (rows) => rows.revokeSubject(ofRevoked.subjectId, NOW_MS));
    const passkeys = [
      await stored(),
      await stored({ revokedAtMs: NOW_MS }),
      await stored({ copiedAtMs: NOW_MS }),
      ofRevoked,
    ];
    const [good, ...refused] = passkeys.map(({ credentialId }) => credentialId);
    const keys = [`key-${good}`, `key-${good}-revoked`] as const;
    for (const publicKey of keys) {
      const { id } = await newSubject(connection(0), { role: 'approver', publicKey });
      if (publicKey === keys[1]) await write(0, (rows) => rows.revokeSubject(id, NOW_MS));
    }
    const asked = (publicKeys: readonly string[], credentials: readonly string[]) =>
      read<NamedKeys>((rows) => rows.refusedKeys({ publicKeys, credentials }));
    const all = await asked([...keys, 'unknown'], [...passkeys.map(({ credentialId }) => credentialId), 'unknown']);
    expect(all.publicKeys).toEqual([keys[1]]);
    expect(all.credentials.toSorted()).toEqual(refused.toSorted());
    expect(await asked([], [])).toEqual({ publicKeys: [], credentials: [] });
    expect(await asked(refused, [keys[1]])).toEqual({ publicKeys: [], credentials: [] });
  });

  it('lists all people who may decide, and returns the last value of a setting of the owner', async () => {
    const [one, other] = [await person(), await newSubject(connection(0))];
    const listed = await read<readonly Subject[]>((rows) => rows.passkeys.approvers());
    expect(listed).toContainEqual(one);
    expect(listed).not.toContainEqual(other);
    const name = `setting-${one.id}`;
    expect(await read((rows) => rows.passkeys.ownerSetting(name))).toBeUndefined();
    for (const value of ['low', 'high']) await write(0, (rows) => rows.passkeys.setOwnerSetting(name, value));
    expect(await read((rows) => rows.passkeys.ownerSetting(name))).toBe('high');
  });
}
