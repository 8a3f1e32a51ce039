/** What every store promises about the rows of grants. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Confinement } from '../../src/core/confinement/confinement.ts';
import { type Grant, type Term, transition } from '../../src/core/grant/grant.ts';
import { success } from '../../src/core/result.ts';
import type { Store } from '../../src/store/store.ts';
import { anyGrant, FINDINGS, must, NOW_MS, newSubject, sampleGrant, TOUCHED } from './store-samples.ts';

/** @param connection connections to one database, like those of several servers */
export function describeGrantRows(connection: (index: number) => Store): void {
  it('finds an approval with the same deciding variables, for another request of the same requester, unless it was revoked', async () => {
    const [requester, stranger] = [await newSubject(connection(0)), await newSubject(connection(0))];
    const known = 'a'.repeat(64);
    const knows = (of: string, digest: string, except: string | null) =>
      connection(0)
        .read((rows) => rows.hasApprovedDeciding(of, digest, except))
        .then(must);
    const grants = (['pending', 'denied', 'withdrawn', 'revoked'] as const).map((state) =>
      sampleGrant(requester, { state, approvedDeciding: known }),
    );
    const other = sampleGrant(requester, { state: 'approved', approvedDeciding: 'b'.repeat(64) });
    const without = sampleGrant(requester, { state: 'approved' });
    must(
      await connection(0).write(async (rows) => {
        for (const grant of [...grants, other, without]) await rows.insertGrant(grant);
      }),
    );
    expect(await knows(requester.id, known, null)).toBe(false);
    for (const state of ['approved', 'used'] as const) {
      const grant = sampleGrant(requester, { state, term: { kind: 'once' }, approvedDeciding: known });
      must(await connection(0).write((rows) => rows.insertGrant(grant)));
      expect(
        await connection(0)
          .read((rows) => rows.grant(grant.id))
          .then(must),
      ).toEqual(grant);
      expect(await knows(requester.id, known, null)).toBe(true);
      expect(await knows(requester.id, known, grant.id)).toBe(false);
      expect(await knows(stranger.id, known, null)).toBe(false);
      expect(await knows(requester.id, 'c'.repeat(64), null)).toBe(false);
      must(await connection(0).write((rows) => rows.replaceGrant({ ...grant, version: 2, state: 'revoked' })));
    }
    expect(await knows(requester.id, known, null)).toBe(false);
  });

  it('returns every grant as it was written', async () => {
    const requester = await newSubject(connection(0));
    await fc.assert(
      fc.asyncProperty(anyGrant(requester, ['a'.repeat(64)]), async (grant) => {
        must(await connection(0).write((rows) => rows.insertGrant(grant)));
        expect(must(await connection(1).read((rows) => rows.grant(grant.id)))).toEqual(grant);
      }),
      { numRuns: 60 },
    );
  });

  it('keeps a plan with the host facts of its parts, and lists it among plans', async () => {
    const requester = await newSubject(connection(0));
    const plan = sampleGrant(requester, { partUses: [0, 0] });
    const other = sampleGrant(requester);
    must(
      await connection(0).write(async (rows) => {
        await rows.insertGrant(plan, [FINDINGS, null]);
        await rows.insertGrant(other, FINDINGS);
      }),
    );
    await must(
      await connection(1).read(async (rows) => {
        expect(await rows.grant(plan.id)).toEqual(plan);
        expect(await rows.planHostFacts(plan.id)).toEqual([FINDINGS, null]);
        expect(await rows.hostFacts(plan.id)).toBeNull();
        expect(await rows.planHostFacts(other.id)).toEqual([]);
        expect(await rows.hostFacts(other.id)).toEqual(FINDINGS);
        const listed = await rows.grants({ requesterId: requester.id, isPlan: true, limit: 9, nowMs: NOW_MS });
        expect(listed.map(({ id }) => id)).toEqual([plan.id]);
        const past = await rows.pastRequests(requester.id, 9);
        expect(past.map(({ grantId }) => grantId)).toEqual([other.id]);
      }),
    );
  });

  it('keeps the number of a request, and counts each wrong pick once, over any number of connections', async () => {
    const grant = sampleGrant(await newSubject(connection(0)));
    const match = { grantId: grant.id, number: '07', decoys: ['01', '02'], wrong: 0 };
    must(await connection(0).write((rows) => rows.insertGrant(grant)));
    expect(must(await connection(0).read((rows) => rows.match(grant.id)))).toBeUndefined();
    must(await connection(0).write((rows) => rows.insertMatch(match)));
    const picks = await Promise.all(
      [0, 1, 2, 3].map((index) => connection(index).write((rows) => rows.countWrongPick(match))),
    );
    expect(picks.map((each) => must(each).value).filter((isCounted) => isCounted)).toHaveLength(1);
    expect(must(await connection(1).read((rows) => rows.match(grant.id)))).toEqual({ ...match, wrong: 1 });
  });

  it('keeps a command of 1 MB whole', async () => {
    const grant = sampleGrant(await newSubject(connection(0)));
    const large = { ...grant, request: { ...grant.request, text: `echo '${'é\n'.repeat(400_000)}'` } };
    must(await connection(0).write((rows) => rows.insertGrant(large)));
    expect(must(await connection(0).read((rows) => rows.grant(large.id)))?.request.text).toBe(large.request.text);
  });

  it('refuses a change to an older version of a grant, and then changes nothing', async () => {
    const grant = sampleGrant(await newSubject(connection(0)));
    must(await connection(0).write((rows) => rows.insertGrant(grant)));
    const replace = (changed: typeof grant) => connection(0).write((rows) => rows.replaceGrant(changed));
    expect(must(await replace({ ...grant, version: 2, state: 'denied', denyReason: 'no' })).value).toBe(true);
    expect(must(await replace({ ...grant, version: 2, state: 'approved', term: { kind: 'always' } })).value).toBe(
      false,
    );
    expect(must(await replace({ ...grant, version: 4, state: 'withdrawn' })).value).toBe(false);
    const stored = must(await connection(0).read((rows) => rows.grant(grant.id)));
    expect([stored?.version, stored?.state, stored?.denyReason]).toEqual([2, 'denied', 'no']);
  });

  it('keeps the confinement of an approval, and the level of a scope, through every change', async () => {
    const requester = await newSubject(connection(0));
    const pending = sampleGrant(requester);
    must(await connection(0).write((rows) => rows.insertGrant(pending)));
    const confinement: Confinement = {
      level: 3,
      read: ['/p'],
      write: ['/p/build'],
      execute: ['/usr/bin/make'],
      connect: [443],
      readOnly: ['/p/build/.envrc'],
      tools: ['make'],
    };
    const term: Term = { kind: 'always' };
    const event = {
      kind: 'approve' as const,
      by: requester.id,
      term,
      scope: null,
      confinement: success(confinement),
    };
    const step = (...args: Parameters<typeof transition>): Grant => {
      const changed = transition(...args);
      if (!changed.ok) throw new Error(changed.failure.kind);
      return changed.value;
    };
    let grant = step(pending, event, NOW_MS);
    expect(must(await connection(0).write((rows) => rows.replaceGrant(grant))).value).toBe(true);
    for (let uses = 1; uses < 3; uses += 1) {
      const seen = must(
        await connection(0).read((rows) => rows.coveringGrants(requester.id, pending.fingerprint, NOW_MS)),
      );
      expect(seen).toEqual([grant]);
      expect(seen[0]?.confinement).toEqual(confinement);
      grant = step(grant, { kind: 'use' }, NOW_MS);
      expect(must(await connection(0).write((rows) => rows.replaceGrant(grant))).value).toBe(true);
    }
  });

  it('keeps what a host demands and says about its pin, until a later version of the grant has none of it', async () => {
    const says = { sealedOnly: true, pin: 'system', batches: true } as const;
    const demanding = { ...sampleGrant(await newSubject(connection(0))), ...says };
    must(await connection(0).write((rows) => rows.insertGrant(demanding)));
    expect(must(await connection(1).read((rows) => rows.grant(demanding.id)))).toEqual(demanding);
    const filter = { requesterId: demanding.requesterId, limit: 1, nowMs: NOW_MS };
    expect(must(await connection(0).read((rows) => rows.grants(filter)))[0]).toMatchObject(says);
    const { sealedOnly: _, pin: __, batches: ___, ...free } = { ...demanding, version: demanding.version + 1 };
    expect(must(await connection(0).write((rows) => rows.replaceGrant(free))).value).toBe(true);
    expect(must(await connection(1).read((rows) => rows.grant(free.id)))).toEqual(free);
  });

  it("keeps approvals by several people, and finds what each person's key sealed", async () => {
    const [first, second] = ['k_one', 'k_two'] as const;
    const sealedBy = (keyId: string) => {
      const seal = { kind: 'ed25519' as const, keyId, signature: 'x' };
      return { document: { typ: 'ape-decision/1' } as never, seal };
    };
    const given = [{ by: 's_ada', name: 'Ada', atMs: 1, sealed: sealedBy(first) }];
    const decision = { term: { kind: 'once' as const }, scope: null, confinement: null };
    const pending = { ...sampleGrant(await newSubject(connection(0))), approvals: { needed: 2, ...decision, given } };
    must(await connection(0).write((rows) => rows.insertGrant(pending)));
    expect(must(await connection(1).read((rows) => rows.grant(pending.id)))).toEqual(pending);
    const sealed = { ...sealedBy(second), also: [sealedBy(first)] };
    const done = { ...pending, version: pending.version + 1, state: 'approved' as const, ...decision, sealed };
    const replaced = await Promise.all([0, 1].map((at) => connection(at).write((rows) => rows.replaceGrant(done))));
    expect(replaced.filter((one) => must(one).value)).toHaveLength(1);
    const listed = must(
      await connection(0).read((rows) => rows.grants({ requesterId: pending.requesterId, limit: 1, nowMs: NOW_MS })),
    );
    expect(listed[0]?.approvals).toEqual(pending.approvals);
    for (const keyId of [first, second])
      expect(must(await connection(0).read((rows) => rows.approvedBySeal(keyId))).grants).toEqual([done]);
    expect(must(await connection(0).read((rows) => rows.approvedBySeal('k_other'))).grants).toEqual([]);
  });

  it('keeps host facts beside the grant, and returns the last requests that came with host facts', async () => {
    const requester = await newSubject(connection(0));
    const plain = sampleGrant(requester);
    const grants = [1, 2, 3].map((at) => sampleGrant(requester, { createdAtMs: NOW_MS + at, touches: [TOUCHED] }));
    must(
      await connection(0).write(async (rows) => {
        await rows.insertGrant(plain, null);
        for (const grant of grants) await rows.insertGrant(grant, { ...FINDINGS, home: `/home/${grant.id}` });
      }),
    );
    const [, , newest] = grants;
    const read = connection(1);
    expect(must(await read.read((rows) => rows.hostFacts(plain.id)))).toBeNull();
    expect(must(await read.read((rows) => rows.hostFacts(newest?.id ?? '')))).toEqual({
      ...FINDINGS,
      home: `/home/${newest?.id}`,
    });
    expect(must(await read.read((rows) => rows.grant(newest?.id ?? '')))).toEqual(newest);
    const past = must(await read.read((rows) => rows.pastRequests(requester.id, 2)));
    expect(past.map(({ grantId, atMs, request }) => [grantId, atMs, request])).toEqual(
      grants
        .toReversed()
        .slice(0, 2)
        .map(({ id, createdAtMs, request }) => [id, createdAtMs, request]),
    );
    expect(past[0]?.findings.home).toBe(`/home/${newest?.id}`);
  });
}
