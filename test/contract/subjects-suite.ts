/** What every store promises about requesters, people and their credentials. */
import { expect, it } from 'vitest';
import { sha256Hex } from '../../src/platform/digest.ts';
import type { Enrolment, Store, StoreReader } from '../../src/store/store.ts';
import { must, NOW_MS, newSubject } from './store-samples.ts';

const credential = (subjectId: string, hash: string, expiresAtMs: number) => ({
  hash,
  subjectId,
  createdAtMs: NOW_MS,
  expiresAtMs,
});

const tokenHolder = async (rows: StoreReader, hash: string, nowMs: number) =>
  (await rows.tokenHolders(['other', hash, hash], nowMs)).get(hash);

/** @param connection connections to one database, like those of several servers */
export function describeSubjects(connection: (index: number) => Store): void {
  it('pauses a requester once, and reports the pause everywhere until it ends', async () => {
    const { id } = await newSubject(connection(0));
    const pause = { requesterId: id, sinceMs: NOW_MS, byId: null, reason: 'é' };
    const tries = [0, 1, 2].map((index) => connection(index).write((rows) => rows.insertPause(pause)));
    const made = (await Promise.all(tries)).map((each) => must(each).value);
    expect(made.filter((isMade) => isMade)).toHaveLength(1);
    expect(must(await connection(1).read((rows) => rows.pause(id)))).toEqual(pause);
    expect(must(await connection(0).read((rows) => rows.pauses()))).toContainEqual(pause);
    const end = () => connection(0).write((rows) => rows.endPause(id));
    expect([must(await end()).value, must(await end()).value]).toEqual([true, false]);
    expect(must(await connection(1).read((rows) => rows.pause(id)))).toBeUndefined();
  });

  it('replaces the key of a requester once, and with it ends the tokens and the request for a new key', async () => {
    const { id, publicKey } = await newSubject(connection(0));
    const other = await newSubject(connection(0));
    const ask = { requesterId: id, askedAtMs: NOW_MS, byId: null };
    const asked = [0, 1, 2].map((index) => connection(index).write((rows) => rows.keys.insertKeyRequest(ask)));
    expect((await Promise.all(asked)).filter((each) => must(each).value)).toHaveLength(1);
    expect(must(await connection(1).read((rows) => rows.keys.keyRequest(id)))).toEqual(ask);
    expect(must(await connection(0).read((rows) => rows.keys.keyRequests()))).toContainEqual(ask);
    const token = (subjectId: string) => ({
      hash: sha256Hex(`token of ${subjectId}`),
      subjectId,
      createdAtMs: NOW_MS,
      expiresAtMs: NOW_MS + 1000,
    });
    for (const each of [id, other.id]) must(await connection(0).write((rows) => rows.insertToken(token(each))));

    const from = publicKey ?? '';
    const replaced = (to: string) => ({ publicKey: from, requesterId: id, replacedBy: to, replacedAtMs: NOW_MS });
    const tries = await Promise.all(
      [0, 1, 2, 3].map((index) =>
        connection(index).write(async (rows) =>
          (await rows.keys.replaceKey(replaced(`${id}-${index}`))) ? index : null,
        ),
      ),
    );
    const won = tries.map((each) => must(each).value).filter((index) => index !== null);
    expect(won).toHaveLength(1);
    const now = `${id}-${won[0]}`;
    expect(must(await connection(1).read((rows) => rows.subject(id)))?.publicKey).toBe(now);
    expect(must(await connection(0).read((rows) => rows.subjectByPublicKey(from)))).toBeUndefined();
    expect(must(await connection(0).read((rows) => rows.keys.replacedKey(from)))).toEqual(replaced(now));
    expect(must(await connection(0).read((rows) => rows.keys.replacedKey(now)))).toBeUndefined();
    expect(must(await connection(0).read((rows) => rows.keys.keyRequest(id)))).toBeUndefined();
    const held = must(
      await connection(0).read((rows) => rows.tokenHolders([token(id).hash, token(other.id).hash], NOW_MS)),
    );
    expect([...held.keys()]).toEqual([token(other.id).hash]);

    const later = { publicKey: now, requesterId: id, replacedBy: `${id}-next`, replacedAtMs: NOW_MS + 1 };
    expect(must(await connection(0).write((rows) => rows.keys.replaceKey(later))).value).toBe(true);
    expect(must(await connection(0).read((rows) => rows.keys.replacedKeysOf(id, 1)))).toEqual([later]);
    expect(must(await connection(0).read((rows) => rows.keys.lastReplacements())).get(id)).toBe(NOW_MS + 1);
    must(await connection(0).write((rows) => rows.revokeSubject(id, NOW_MS + 2)));
    const tooLate = { publicKey: later.replacedBy, requesterId: id, replacedBy: 'x', replacedAtMs: NOW_MS + 3 };
    expect(must(await connection(0).write((rows) => rows.keys.replaceKey(tooLate))).value).toBe(false);
  });

  it('accepts a sign-in link once, while it is live, however many calls try', async () => {
    const owner = await newSubject(connection(0), { role: 'approver', publicKey: null });
    must(
      await connection(0).write((rows) => rows.insertOwnerLink(credential(owner.id, `link-${owner.id}`, NOW_MS + 10))),
    );
    const spend = (index: number, nowMs: number) =>
      connection(index).write((rows) => rows.spendOwnerLink(`link-${owner.id}`, nowMs));
    expect(must(await spend(0, NOW_MS + 10)).value).toBeUndefined();
    expect(must(await connection(0).read((rows) => rows.ownerLinkIsLive(`link-${owner.id}`, NOW_MS)))).toBe(true);
    const spent = await Promise.all([0, 1, 2, 3, 4, 5].map((index) => spend(index, NOW_MS)));
    expect(spent.map((one) => must(one).value).filter((subjectId) => subjectId !== undefined)).toEqual([owner.id]);
    expect(must(await connection(0).read((rows) => rows.ownerLinkIsLive(`link-${owner.id}`, NOW_MS)))).toBe(false);
  });

  it('neither accepts nor spends the sign-in link of a revoked person', async () => {
    const revoked = await newSubject(connection(0), { role: 'approver', publicKey: null, revokedAtMs: NOW_MS - 1 });
    const hash = `link-${revoked.id}`;
    must(await connection(0).write((rows) => rows.insertOwnerLink(credential(revoked.id, hash, NOW_MS + 10))));
    expect(must(await connection(0).read((rows) => rows.ownerLinkIsLive(hash, NOW_MS)))).toBe(false);
    expect(must(await connection(0).write((rows) => rows.spendOwnerLink(hash, NOW_MS))).value).toBeUndefined();
  });

  it('accepts a challenge once, however many calls try', async () => {
    const hash = `challenge-${Math.random()}`;
    const spent = await Promise.all(
      [0, 1, 2, 3, 4, 5].map((index) => connection(index).write((rows) => rows.spendChallenge(hash, NOW_MS + 10))),
    );
    expect(spent.filter((one) => must(one).value)).toHaveLength(1);
  });

  it('returns the holder of a token or session only while it is live and its subject is not revoked', async () => {
    const owner = await newSubject(connection(0), { role: 'approver', publicKey: null });
    const revoked = await newSubject(connection(0), { revokedAtMs: NOW_MS - 1 });
    const hash = (kind: string, subject: { id: string }) => `${kind}-${subject.id}`;
    must(
      await connection(0).write(async (rows) => {
        for (const subject of [owner, revoked]) {
          await rows.insertToken(credential(subject.id, hash('token', subject), NOW_MS + 10));
          await rows.insertSession({
            ...credential(subject.id, hash('session', subject), NOW_MS + 10),
            lastSeenAtMs: NOW_MS,
            passkeyId: null,
            browser: 'Firefox on Linux',
          });
        }
      }),
    );
    const token = async (subject: { id: string }, nowMs: number) =>
      must(await connection(0).read((rows) => tokenHolder(rows, hash('token', subject), nowMs)));
    const session = async (subject: { id: string }, nowMs: number) =>
      must(await connection(0).read((rows) => rows.sessionHolder(hash('session', subject), nowMs)));
    expect(await token(owner, NOW_MS + 9)).toEqual({ subject: owner, expiresAtMs: NOW_MS + 10 });
    expect(await session(owner, NOW_MS + 9)).toMatchObject({
      subject: owner,
      session: { browser: 'Firefox on Linux' },
    });
    expect(await token(owner, NOW_MS + 10)).toBeUndefined();
    expect(await session(owner, NOW_MS + 10)).toBeUndefined();
    expect(await token(revoked, NOW_MS)).toBeUndefined();
    expect(await session(revoked, NOW_MS)).toBeUndefined();
    must(await connection(0).write((rows) => rows.touchSession(hash('session', owner), NOW_MS + 9, NOW_MS + 50)));
    const slid = await session(owner, NOW_MS + 10);
    expect([slid?.session.lastSeenAtMs, slid?.session.expiresAtMs]).toEqual([NOW_MS + 9, NOW_MS + 50]);
    must(await connection(0).write((rows) => rows.endSession(hash('session', owner))));
    expect(await session(owner, NOW_MS + 10)).toBeUndefined();
  });

  it('lists the live sign-ins of a person, the last used first, and ends all but one', async () => {
    const [owner, other] = [
      await newSubject(connection(0), { role: 'approver', publicKey: null }),
      await newSubject(connection(0)),
    ];
    const signIn = (subject: { id: string }, name: string, lastSeenAtMs: number, endMs = NOW_MS + 10) =>
      connection(0).write((rows) =>
        rows.insertSession({
          ...credential(subject.id, `${name}-${subject.id}`, endMs),
          lastSeenAtMs,
          passkeyId: null,
          browser: null,
        }),
      );
    must(await signIn(owner, 'old', NOW_MS - 5));
    must(await signIn(owner, 'new', NOW_MS));
    must(await signIn(owner, 'over', NOW_MS, NOW_MS));
    must(await signIn(other, 'others', NOW_MS));
    const names = async (subject: { id: string }) =>
      must(await connection(0).read((rows) => rows.sessionsOf(subject.id, NOW_MS))).map(
        ({ hash }) => hash.split('-')[0],
      );
    expect(await names(owner)).toEqual(['new', 'old']);
    const ended = must(await connection(0).write((rows) => rows.endSessionsOf(owner.id, `new-${owner.id}`))).value;
    expect([ended, await names(owner), await names(other)]).toEqual([2, ['new'], ['others']]);
    expect(must(await connection(0).write((rows) => rows.endSessionsOf(owner.id, null))).value).toBe(1);
    expect(await names(owner)).toEqual([]);
  });

  it('keeps a call with an idempotency key, for its caller only, until the call is removed or too old', async () => {
    const [one, other] = [await newSubject(connection(0)), await newSubject(connection(0))];
    const call = { keyHash: 'k', callDigest: 'd', startedAtMs: NOW_MS, status: null, answer: null };
    const calls = (subject: { id: string }) =>
      connection(0)
        .write((rows) => rows.idempotency.countIdempotentCalls(subject.id))
        .then((count) => must(count).value);
    const known = () =>
      connection(0)
        .write((rows) => rows.idempotency.idempotentCall(one.id, 'k'))
        .then((found) => must(found).value);
    for (const { id } of [one, other])
      must(await connection(0).write((rows) => rows.idempotency.insertIdempotentCall({ ...call, subjectId: id })));
    const twice = await connection(0).write((rows) =>
      rows.idempotency.insertIdempotentCall({ ...call, subjectId: one.id }),
    );
    expect([twice.ok, await known()]).toEqual([false, { ...call, subjectId: one.id }]);
    const ended = { ...call, subjectId: one.id, status: 202, answer: '{"ü":1}' };
    must(await connection(0).write((rows) => rows.idempotency.endIdempotentCall(ended)));
    expect(await known()).toEqual(ended);
    must(await connection(0).write((rows) => rows.idempotency.removeIdempotentCall(ended)));
    expect([await known(), await calls(one), await calls(other)]).toEqual([undefined, 0, 1]);
    must(await connection(0).write((rows) => rows.idempotency.pruneIdempotentCalls(NOW_MS)));
    expect(await calls(other)).toBe(1);
    must(await connection(0).write((rows) => rows.idempotency.pruneIdempotentCalls(NOW_MS + 1)));
    expect(await calls(other)).toBe(0);
  });

  const pendingEnrolment = async (more: Partial<Enrolment> = {}) => {
    const requester = await newSubject(connection(0));
    const enrolment: Enrolment = {
      id: `e_${requester.id}`,
      state: 'pending',
      name: 'n',
      host: 'h',
      user: 'u',
      publicKey: 'k',
      commitment: 'c',
      nonce: null,
      createdAtMs: NOW_MS,
      expiresAtMs: NOW_MS + 10,
      decidedAtMs: null,
      decidedBy: null,
      requesterId: null,
      ...more,
    };
    must(await connection(0).write((rows) => rows.insertEnrolment(enrolment)));
    return { requester, enrolment };
  };

  it('stores one nonce of an enrolment, and only while the enrolment is pending', async () => {
    const { enrolment } = await pendingEnrolment();
    const send = (index: number, nonce: string) =>
      connection(index).write((rows) => rows.insertNonce(enrolment.id, nonce));
    const stored = async () => must(await connection(1).read((rows) => rows.enrolment(enrolment.id)));
    const sent = await Promise.all(['a', 'b', 'c', 'd'].map((nonce, index) => send(index, nonce)));
    expect(sent.filter((one) => must(one).value)).toHaveLength(1);
    const winner = ['a', 'b', 'c', 'd'].find((_, index) => must(sent[index] as (typeof sent)[number]).value) ?? '';
    expect(await stored()).toEqual({ ...enrolment, nonce: winner });
    expect(must(await send(0, winner)).value).toBe(false);
    const { enrolment: denied } = await pendingEnrolment();
    // A decision keeps the nonce that another transaction has written meanwhile.
    must(await connection(0).write((rows) => rows.replaceEnrolment({ ...enrolment, state: 'denied' })));
    expect(await stored()).toEqual({ ...enrolment, state: 'denied', nonce: winner });
    must(await connection(0).write((rows) => rows.replaceEnrolment({ ...denied, state: 'denied' })));
    expect(must(await connection(1).write((rows) => rows.insertNonce(denied.id, 'a'))).value).toBe(false);
    expect(must(await connection(1).write((rows) => rows.insertNonce('e_none', 'a'))).value).toBe(false);
  });

  it('stores no approval of an enrolment without a nonce', async () => {
    const { enrolment, requester } = await pendingEnrolment();
    const approve = () =>
      connection(0).write((rows) =>
        rows.replaceEnrolment({ ...enrolment, state: 'approved', requesterId: requester.id }),
      );
    const refused = await approve().catch((error: Error) => ({ ok: false, error }));
    expect(refused.ok).toBe(false);
    expect(must(await connection(1).read((rows) => rows.enrolment(enrolment.id)))).toEqual(enrolment);
    must(await connection(0).write((rows) => rows.insertNonce(enrolment.id, 'n')));
    expect(must(await approve()).value).toBe(true);
  });

  it('decides an enrolment once', async () => {
    const { enrolment, requester } = await pendingEnrolment({ nonce: 'n' });
    const waiting = async (nowMs: number) => must(await connection(0).read((rows) => rows.pendingEnrolments(nowMs)));
    expect(await waiting(NOW_MS)).toContainEqual(enrolment);
    expect(await waiting(NOW_MS + 10)).not.toContainEqual(enrolment);
    const decided = await Promise.all(
      [0, 1, 2, 3].map((index) =>
        connection(index).write((rows) =>
          rows.replaceEnrolment({ ...enrolment, state: 'approved', requesterId: requester.id, decidedAtMs: index }),
        ),
      ),
    );
    expect(decided.filter((one) => must(one).value)).toHaveLength(1);
    expect(await waiting(NOW_MS)).not.toContainEqual(enrolment);
  });

  it('revokes a subject once, and its token with it', async () => {
    const subject = await newSubject(connection(0));
    const hash = `revoked-${subject.id}`;
    must(await connection(0).write((rows) => rows.insertToken(credential(subject.id, hash, NOW_MS + 10))));
    const revoke = () => connection(0).write((rows) => rows.revokeSubject(subject.id, NOW_MS));
    expect([must(await revoke()).value, must(await revoke()).value]).toEqual([true, false]);
    expect(must(await connection(1).read((rows) => tokenHolder(rows, hash, NOW_MS)))).toBeUndefined();
    expect(must(await connection(0).read((rows) => rows.subject(subject.id)))?.revokedAtMs).toBe(NOW_MS);
  });

  it('makes an approver an auditor and back, wherever the subject is read, and changes no other subject', async () => {
    const person = await newSubject(connection(0), { role: 'approver', publicKey: null });
    const code = await newSubject(connection(0), { role: 'break-glass' });
    const requester = await newSubject(connection(0));
    const hash = `audits-${person.id}`;
    must(await connection(0).write((rows) => rows.insertToken(credential(person.id, hash, NOW_MS + 10))));
    const become = async (id: string, role: 'approver' | 'auditor') =>
      must(await connection(0).write((rows) => rows.changeRole(id, role))).value;
    const seen = async () => {
      const bySubject = must(await connection(1).read((rows) => rows.subject(person.id)));
      const byToken = must(await connection(1).read((rows) => tokenHolder(rows, hash, NOW_MS)));
      const notified = must(await connection(0).read((rows) => rows.notifications.approvers()));
      const listed = must(await connection(0).read((rows) => rows.passkeys.approvers()));
      expect(listed.map(({ id }) => id)).toContain(person.id);
      expect(listed.map(({ id }) => id)).not.toContain(code.id);
      return [bySubject?.role, byToken?.subject.role, notified.some(({ id }) => id === person.id)];
    };
    expect(await seen()).toEqual(['approver', 'approver', true]);
    expect(await become(person.id, 'auditor')).toBe(true);
    expect(await seen()).toEqual(['auditor', 'auditor', false]);
    expect(await become(person.id, 'approver')).toBe(true);
    expect(await seen()).toEqual(['approver', 'approver', true]);
    for (const id of [code.id, requester.id, 's_nobody'])
      expect([id, await become(id, 'auditor')]).toEqual([id, false]);
    must(await connection(0).write((rows) => rows.revokeSubject(person.id, NOW_MS)));
    expect(await become(person.id, 'auditor')).toBe(false);
    expect(must(await connection(0).read((rows) => rows.subject(code.id)))?.role).toBe('break-glass');
  });

  it('removes expired tokens, and no others', async () => {
    const owner = await newSubject(connection(0), { role: 'approver', publicKey: null });
    must(
      await connection(0).write(async (rows) => {
        await rows.insertToken(credential(owner.id, `old-${owner.id}`, NOW_MS - 10));
        await rows.insertToken(credential(owner.id, `new-${owner.id}`, NOW_MS + 10));
        await rows.prune(NOW_MS);
      }),
    );
    const holder = async (hash: string) =>
      must(await connection(0).read((rows) => tokenHolder(rows, hash, NOW_MS - 20)));
    expect(await holder(`old-${owner.id}`)).toBeUndefined();
    expect(await holder(`new-${owner.id}`)).toBeDefined();
  });

  it('removes all tokens, sign-ins and links, and keeps the used challenges', async () => {
    const store = connection(0);
    const owner = await newSubject(store, { role: 'approver', publicKey: null });
    const hash = `live-${owner.id}`;
    must(
      await store.write(async (rows) => {
        await rows.insertToken(credential(owner.id, hash, NOW_MS + 10));
        await rows.insertOwnerLink(credential(owner.id, hash, NOW_MS + 10));
        await rows.spendChallenge(hash, NOW_MS + 10);
      }),
    );
    const taken = await store.write(async (rows) => {
      await rows.removeCredentials();
      return [await rows.spendOwnerLink(hash, NOW_MS), await rows.spendChallenge(hash, NOW_MS + 10)];
    });
    expect(must(taken).value).toEqual([undefined, false]);
    expect(must(await store.read((rows) => tokenHolder(rows, hash, NOW_MS)))).toBeUndefined();
  });

  it('lists all requesters, and no other subject', async () => {
    const requester = await newSubject(connection(0), { name: 'zz last' });
    const listed = must(await connection(1).read((rows) => rows.requesters()));
    expect(listed.at(-1)).toEqual(requester);
    expect(listed.every(({ role }) => role === 'requester')).toBe(true);
  });

  it('enrols a public key once', async () => {
    const subject = await newSubject(connection(0));
    const again = await connection(0).write((rows) => rows.insertSubject({ ...subject, id: `${subject.id}x` }));
    expect(again.ok).toBe(false);
    expect(must(await connection(0).read((rows) => rows.subjectByPublicKey(subject.publicKey ?? '')))).toEqual(subject);
    expect(must(await connection(0).read((rows) => rows.subject(subject.id)))).toEqual(subject);
  });
}
