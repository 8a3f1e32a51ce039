/** What every store promises about lists of grants. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { grantEvent } from '../../src/core/grant/audit-event.ts';
import { compareForUse, expiryAtMs, type GrantState, stateAt } from '../../src/core/grant/grant.ts';
import type { Store } from '../../src/store/store.ts';
import { anyGrant, approved, must, NOW_MS, newSubject, sampleGrant } from './store-samples.ts';

const ALL_STATES: readonly GrantState[] = ['pending', 'approved', 'denied', 'withdrawn', 'used', 'revoked', 'expired'];

/** @param connection connections to one database, like those of several servers */
export function describeGrantLists(connection: (index: number) => Store): void {
  it('files the same request once if many connections file it at the same moment', async () => {
    const requester = await newSubject(connection(0));
    const fingerprint = 'b'.repeat(64);
    const ask = (index: number) =>
      connection(index).write(async (rows) => {
        await rows.lockRequest(requester.id, fingerprint);
        if ((await rows.pendingGrant(requester.id, fingerprint, NOW_MS)) !== undefined) return false;
        await rows.insertGrant(sampleGrant(requester, { fingerprint }));
        return true;
      });
    const filed = await Promise.all(Array.from({ length: 12 }, (_, index) => ask(index)));
    expect(filed.filter((one) => must(one).value)).toHaveLength(1);
  });

  it('lists each grant under its present state, also if it has expired since it was written', async () => {
    const fingerprints = ['c'.repeat(64), 'd'.repeat(64)] as const;
    await fc.assert(
      fc.asyncProperty(fc.integer(), async (seed) => {
        const requester = await newSubject(connection(0));
        const grants = fc.sample(anyGrant(requester, fingerprints), { numRuns: 12, seed });
        must(
          await connection(0).write(async (rows) => {
            for (const grant of grants) await rows.insertGrant(grant);
          }),
        );
        for (const state of ALL_STATES) {
          const filter = { requesterId: requester.id, states: [state], limit: 200, nowMs: NOW_MS };
          const listed = must(await connection(0).read((rows) => rows.grants(filter)));
          const expected = grants.filter((grant) => stateAt(grant, NOW_MS) === state);
          expect(listed.map((grant) => grant.id).sort()).toEqual(expected.map((grant) => grant.id).sort());
        }
        const standing = must(
          await connection(0).read((rows) =>
            rows.grants({ requesterId: requester.id, isStanding: true, limit: 200, nowMs: NOW_MS }),
          ),
        );
        const isStanding = (grant: (typeof grants)[number]) =>
          stateAt(grant, NOW_MS) === 'approved' && grant.term?.kind !== 'once';
        expect(standing.map((grant) => grant.id).sort()).toEqual(
          grants
            .filter(isStanding)
            .map((grant) => grant.id)
            .sort(),
        );
        const pending = grants.filter((grant) => stateAt(grant, NOW_MS) === 'pending');
        expect(must(await connection(0).read((rows) => rows.pendingOf(requester.id, NOW_MS)))).toEqual({
          count: pending.length,
          bytes: pending.reduce((total, { request }) => total + Buffer.byteLength(JSON.stringify(request)), 0),
        });
        const scoped = must(await connection(0).read((rows) => rows.scopedGrants(requester.id, NOW_MS)));
        const hasLiveScope = (grant: (typeof grants)[number]) =>
          grant.scope !== null && stateAt(grant, NOW_MS) === 'approved';
        expect(scoped).toEqual(grants.filter(hasLiveScope).sort(compareForUse));
        for (const fingerprint of fingerprints) {
          const same = grants.filter((grant) => grant.fingerprint === fingerprint);
          const covering = must(
            await connection(0).read((rows) => rows.coveringGrants(requester.id, fingerprint, NOW_MS)),
          );
          const expected = same.filter((grant) => stateAt(grant, NOW_MS) === 'approved').sort(compareForUse);
          expect(covering.map((grant) => grant.id)).toEqual(expected.map((grant) => grant.id));
          const waiting = must(
            await connection(0).read((rows) => rows.pendingGrant(requester.id, fingerprint, NOW_MS)),
          );
          const oldest = same.filter((grant) => stateAt(grant, NOW_MS) === 'pending').map((grant) => grant.createdAtMs);
          expect(waiting?.createdAtMs ?? Number.POSITIVE_INFINITY).toBe(Math.min(Number.POSITIVE_INFINITY, ...oldest));
        }
      }),
      { numRuns: 15 },
    );
  });

  it('lists newest first, page by page', async () => {
    const requester = await newSubject(connection(0));
    const grants = [1, 2, 3, 4, 5].map((age) => sampleGrant(requester, { createdAtMs: NOW_MS - age }));
    must(
      await connection(0).write(async (rows) => {
        for (const grant of grants) await rows.insertGrant(grant);
      }),
    );
    const page = (beforeMs: number) =>
      connection(0).read((rows) => rows.grants({ requesterId: requester.id, beforeMs, limit: 2, nowMs: NOW_MS }));
    const ages = async (beforeMs: number) => must(await page(beforeMs)).map((grant) => NOW_MS - grant.createdAtMs);
    expect(await ages(NOW_MS)).toEqual([1, 2]);
    expect(await ages(NOW_MS - 2)).toEqual([3, 4]);
    expect(await ages(NOW_MS - 4)).toEqual([5]);
  });

  it('finds grants by the beginning of their ids, and distinguishes upper and lower case', async () => {
    const requester = await newSubject(connection(0));
    const ids = ['g_aabbccdd', 'g_aabbccde', 'g_aabbxxxx', 'gzaabbccdd'];
    must(
      await connection(0).write(async (rows) => {
        for (const id of ids) await rows.insertGrant(sampleGrant(requester, { id }));
      }),
    );
    const found = async (idPrefix: string) => {
      const grants = await connection(0).read((rows) =>
        rows.grants({ requesterId: requester.id, idPrefix, limit: 5, nowMs: NOW_MS }),
      );
      return must(grants)
        .map(({ id }) => id)
        .sort();
    };
    expect(await found('g_aabb')).toEqual(['g_aabbccdd', 'g_aabbccde', 'g_aabbxxxx']);
    expect(await found('g_aabbccdd')).toEqual(['g_aabbccdd']);
    expect(await found('G_AABB')).toEqual([]);
    expect(await found('aabb')).toEqual([]);
  });

  it('gives the grants that end in a span of time, and when the next grant ends', async () => {
    const requester = await newSubject(connection(0));
    const farMs = NOW_MS + 90_000_000_000;
    const grants = [
      sampleGrant(requester, { expiresAtMs: farMs + 10 }),
      approved(requester, { kind: 'timed', untilMs: farMs + 20 }),
      approved(requester, { kind: 'once' }, { expiresAtMs: farMs + 30 }),
      approved(requester, { kind: 'always' }, { expiresAtMs: farMs + 15 }),
      sampleGrant(requester, { state: 'denied', expiresAtMs: farMs + 15 }),
    ] as const;
    must(
      await connection(0).write(async (rows) => {
        for (const grant of grants) await rows.insertGrant(grant);
      }),
    );
    const between = async (after: number, until: number) =>
      must(await connection(0).read((rows) => rows.expiredBetween(farMs + after, farMs + until)));
    expect(must(await connection(0).read((rows) => rows.nextExpiryMs(farMs)))).toBe(farMs + 10);
    expect(must(await connection(0).read((rows) => rows.nextExpiryMs(farMs + 10)))).toBe(farMs + 20);
    expect(must(await connection(0).read((rows) => rows.nextExpiryMs(farMs + 30)))).toBe(null);
    expect(await between(0, 10)).toEqual([grants[0].id]);
    expect((await between(10, 30)).toSorted()).toEqual([grants[1].id, grants[2].id].sort());
    expect(grants.map(expiryAtMs)).toEqual([farMs + 10, farMs + 20, farMs + 30, null, null]);
  });

  it('counts how often each request was repeated, up to a limit', async () => {
    const requester = await newSubject(connection(0));
    const [repeated, single] = [sampleGrant(requester), sampleGrant(requester)];
    must(
      await connection(0).write(async (rows) => {
        for (const grant of [repeated, single]) {
          await rows.insertGrant(grant);
          rows.record(grantEvent('grant.requested', grant, requester.id, NOW_MS));
        }
        for (let at = 1; at <= 3; at++) rows.record(grantEvent('grant.repeated', repeated, requester.id, NOW_MS + at));
      }),
    );
    const counted = (most: number) =>
      connection(1).read((rows) => rows.repeats([single.id, repeated.id, 'g_missing'], most));
    expect([...must(await counted(9))]).toEqual([[repeated.id, 3]]);
    expect([...must(await counted(2))]).toEqual([[repeated.id, 2]]);
    expect(must(await connection(0).read((rows) => rows.repeats([], 9))).size).toBe(0);
  });
}
