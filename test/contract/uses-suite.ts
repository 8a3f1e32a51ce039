/** What every store promises about uses of grants. */
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { grantEvent } from '../../src/core/grant/audit-event.ts';
import { transition } from '../../src/core/grant/grant.ts';
import { FIRST_MARK, type Store } from '../../src/store/store.ts';
import { approved, must, NOW_MS, newSubject, uneven, useGrant } from './store-samples.ts';

/** @param connection connections to one database, like those of several servers */
export function describeUses(connection: (index: number) => Store): void {
  it('lets each part of a plan be used as often as it was approved, however many calls come at once', async () => {
    const requester = await newSubject(connection(0));
    const parts = [1, 2].map((part) => ({ part, fingerprint: 'a'.repeat(64), scope: null, uses: 3 }));
    const scope = { kind: 'plan', order: false, parts } as const;
    const term = { kind: 'timed', untilMs: NOW_MS + 1_000 } as const;
    const plan = approved(requester, term, { scope, partUses: [0, 0] });
    must(await connection(0).write((rows) => rows.insertGrant(plan)));
    const use = async (index: number, part: number): Promise<boolean> => {
      for (;;) {
        const tried = await connection(index).write(async (rows) => {
          const grant = await rows.grant(plan.id);
          await uneven([1, 3, 0, 2], index)();
          const next = grant && transition(grant, { kind: 'use', parts: [part] }, NOW_MS);
          if (next?.ok !== true) return 'refused';
          return (await rows.replaceGrant(next.value)) ? 'used' : 'overtaken';
        });
        const outcome = must(tried).value;
        if (outcome !== 'overtaken') return outcome === 'used';
      }
    };
    const tries = await Promise.all(Array.from({ length: 16 }, (_, at) => use(at, 1 + (at % 2))));
    expect(tries.filter((isUsed) => isUsed)).toHaveLength(6);
    expect(must(await connection(0).read((rows) => rows.grant(plan.id)))).toMatchObject({
      state: 'used',
      partUses: [3, 3],
      uses: 6,
      version: 8,
    });
  });

  it('lets a once grant be used exactly once, however many calls try, over any number of connections', async () => {
    const requester = await newSubject(connection(0));
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 2, max: 12 }),
        fc.array(fc.nat({ max: 4 }), { minLength: 1, maxLength: 6 }),
        async (tries, rolls) => {
          const grant = approved(requester, { kind: 'once' });
          must(await connection(0).write((rows) => rows.insertGrant(grant)));
          const before = must(await connection(0).read((rows) => rows.lastSeq()));
          const uses = Array.from({ length: tries }, (_, index) =>
            useGrant(connection(index), grant.id, NOW_MS, uneven(rolls, index)),
          );
          expect((await Promise.all(uses)).filter(Boolean)).toHaveLength(1);
          const events = must(await connection(0).read((rows) => rows.events(before, 1_000)));
          expect(events.filter((event) => event.grantId === grant.id)).toHaveLength(1);
          expect(must(await connection(0).read((rows) => rows.grant(grant.id)))?.uses).toBe(1);
        },
      ),
      { numRuns: 15 },
    );
  });

  it('counts every use of a standing grant, however many calls use it at once', async () => {
    const grant = approved(await newSubject(connection(0)), { kind: 'always' });
    must(await connection(0).write((rows) => rows.insertGrant(grant)));
    const useOnce = async (index: number): Promise<void> => {
      const done = await connection(index).write(async (rows) => {
        await rows.lockRequest(grant.requesterId, grant.fingerprint);
        const seen = await rows.grant(grant.id);
        return seen !== undefined && rows.replaceGrant({ ...seen, version: seen.version + 1, uses: seen.uses + 1 });
      });
      expect(must(done).value).toBe(true); // the lock keeps other writers out between reading and writing
    };
    await Promise.all(Array.from({ length: 20 }, (_, index) => useOnce(index)));
    expect(must(await connection(0).read((rows) => rows.grant(grant.id)))?.uses).toBe(20);
  });

  it('counts each use of one scoped grant, although each caller asks for another file and therefore has another lock', async () => {
    const scope = { operations: ['write' as const], pathPrefix: '/p' };
    const grant = approved(await newSubject(connection(0)), { kind: 'always' }, { scope });
    must(await connection(0).write((rows) => rows.insertGrant(grant)));
    const useUntilDone = (index: number) =>
      connection(index).write(async (rows) => {
        await rows.lockRequest(grant.requesterId, index.toString(16).padStart(64, '0'));
        for (;;) {
          const [seen] = await rows.scopedGrants(grant.requesterId, NOW_MS);
          if (seen === undefined) return false;
          const next = { ...seen, version: seen.version + 1, uses: seen.uses + 1 };
          if (await rows.replaceGrant(next)) return true;
        }
      });
    const used = await Promise.all(Array.from({ length: 20 }, (_, index) => useUntilDone(index)));
    expect(used.map((one) => must(one).value)).toEqual(Array.from({ length: 20 }, () => true));
    expect(must(await connection(0).read((rows) => rows.grant(grant.id)))).toMatchObject({ uses: 20, scope });
  });

  it('returns the events that may have changed standing grants, on every connection, and the uses of a grant', async () => {
    const requester = await newSubject(connection(0));
    const after = must(await connection(0).read((rows) => rows.lastMark()));
    const grant = approved(requester, { kind: 'always' });
    const kinds = [
      'grant.requested',
      'grant.approved',
      'grant.used',
      'policy.created',
      'grant.used',
      'policy.used',
    ] as const;
    must(
      await connection(0).write(async (rows) => {
        await rows.insertGrant(grant);
        for (const [at, kind] of kinds.entries()) rows.record(grantEvent(kind, grant, requester.id, NOW_MS + at));
      }),
    );
    const changes = must(await connection(1).read((rows) => rows.standingChanges(after))) ?? [];
    expect(changes.filter(({ grantId }) => grantId === grant.id).map(({ kind }) => kind)).toEqual([
      'grant.approved',
      'policy.created',
    ]);
    expect(must(await connection(2).read((rows) => rows.standingChanges(changes.at(-1) ?? FIRST_MARK)))).toEqual([]);
    const lost = { seq: after.seq + 1, atMs: NOW_MS - 1 }; // as if another event had got the number after a failover
    expect(must(await connection(2).read((rows) => rows.standingChanges(lost)))).toBe(null);
    const used = must(await connection(2).read((rows) => rows.eventsOf(grant.id, 'grant.used', 1)));
    expect(used.map(({ atMs }) => atMs)).toEqual([NOW_MS + 4]);
  });

  it('locks held grants for every other writer until the transaction ends', async () => {
    const requester = await newSubject(connection(0));
    const grants = [approved(requester, { kind: 'always' }), approved(requester, { kind: 'always' })];
    must(
      await connection(0).write(async (rows) => {
        for (const grant of grants) await rows.insertGrant(grant);
      }),
    );
    const [first, second] = grants.map(({ id }) => id).toSorted();
    const useBoth = (at: number) =>
      connection(at).write(async (rows) => {
        const held = await rows.holdGrants([second ?? '', first ?? '', 'g_none']);
        expect(held.map(({ id }) => id)).toEqual([first, second]);
        await sleep(3);
        for (const grant of held) {
          const used = transition(grant, { kind: 'use' }, NOW_MS);
          expect(used.ok && (await rows.replaceGrant(used.value))).toBe(true);
        }
      });
    const outcomes = await Promise.all(Array.from({ length: 9 }, (_, at) => useBoth(at)));
    expect(outcomes.map((one) => one.ok)).toEqual(Array(9).fill(true));
    for (const { id } of grants) expect(must(await connection(0).read((rows) => rows.grant(id)))?.uses).toBe(9);
  });
}
