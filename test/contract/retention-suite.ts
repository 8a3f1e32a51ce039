/** What every store promises about the removal of old rows. */
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { grantEvent, plainEvent } from '../../src/core/grant/audit-event.ts';
import { type Grant, stateAt } from '../../src/core/grant/grant.ts';
import type { RetentionClass, RetentionTurn } from '../../src/store/retention-rows.ts';
import type { Store, Subject } from '../../src/store/store.ts';
import {
  anyGrant,
  approved,
  COMMAND_SCOPE,
  FINDINGS,
  must,
  NOW_MS,
  newSubject,
  sampleGrant,
  useGrant,
} from './store-samples.ts';
import type { OpenStores } from './store-suite.ts';

const BEFORE_MS = NOW_MS - 1_000;
const OLD = { createdAtMs: NOW_MS - 9_000, expiresAtMs: NOW_MS - 5_000 };
const TURN: RetentionTurn = { beforeMs: BEFORE_MS, fromMs: 0, nowMs: NOW_MS, limit: 100 };

/** Requests that were over before `BEFORE_MS`, one for each way to be over. */
const overBefore = (by: Subject): readonly Grant[] => [
  sampleGrant(by, { ...OLD, state: 'denied', decidedAtMs: BEFORE_MS - 1 }),
  sampleGrant(by, { ...OLD, state: 'withdrawn' }),
  sampleGrant(by, { ...OLD, state: 'pending' }),
  approved(by, { kind: 'once' }, { ...OLD, state: 'used', usedAtMs: BEFORE_MS - 1, uses: 1 }),
  approved(by, { kind: 'always' }, { ...OLD, state: 'revoked', revokedAtMs: BEFORE_MS - 1, scope: COMMAND_SCOPE }),
  approved(by, { kind: 'once' }, OLD),
  approved(by, { kind: 'timed', untilMs: BEFORE_MS - 1 }, OLD),
];

/** Grants that are as old, but are not over, or have been over only for a short time. */
const notOverBefore = (by: Subject): readonly Grant[] => [
  sampleGrant(by, { ...OLD, state: 'denied', decidedAtMs: BEFORE_MS }),
  sampleGrant(by, { ...OLD, expiresAtMs: BEFORE_MS, state: 'withdrawn' }),
  sampleGrant(by, { ...OLD, expiresAtMs: BEFORE_MS }),
  sampleGrant(by, { ...OLD, expiresAtMs: NOW_MS + 1 }),
  approved(by, { kind: 'once' }, { ...OLD, state: 'used', usedAtMs: BEFORE_MS, uses: 1 }),
  approved(by, { kind: 'always' }, { ...OLD, state: 'revoked', revokedAtMs: BEFORE_MS }),
  approved(by, { kind: 'once' }, { ...OLD, expiresAtMs: NOW_MS + 1 }),
  approved(by, { kind: 'timed', untilMs: NOW_MS + 1 }, OLD),
  approved(by, { kind: 'always' }, { ...OLD, scope: COMMAND_SCOPE, uses: 2 }),
];

export function describeRetention(name: string, open: () => Promise<OpenStores>): void {
  describe(`what a ${name} store removes`, () => {
    let opened: OpenStores;
    let store: Store;
    let requester: Subject;
    beforeEach(async () => {
      opened = await open();
      store = opened.stores[0];
      requester = await newSubject(store);
    });
    afterEach(() => opened.close());
    const other = () => opened.stores[1] ?? store;

    const insert = async (grants: readonly Grant[]) =>
      must(
        await store.write(async (rows) => {
          for (const grant of grants) {
            await rows.insertGrant(grant, FINDINGS);
            await rows.insertMatch({ grantId: grant.id, number: '42', decoys: ['11', '12'], wrong: 0 });
            rows.record(grantEvent('grant.requested', grant, requester.id, grant.createdAtMs));
          }
        }),
      );
    const remove = async (kind: RetentionClass, turn: Partial<RetentionTurn> = {}, from = store) =>
      must(
        await from.write(async (rows) => {
          await rows.lockRequest('retention', '');
          return rows.retention.removeOld(kind, { ...TURN, ...turn });
        }),
      ).value;
    const seqs = async () => must(await other().read((rows) => rows.events(0, 1_000))).map(({ seq }) => seq);
    /** Records the events and reads them, which gives each its number. */
    const record = async (events: readonly ReturnType<typeof plainEvent>[]) => {
      must(
        await store.write(async (rows) => {
          for (const event of events) rows.record(event);
        }),
      );
      await seqs();
    };
    const idsLeft = async (grants: readonly Grant[]) => {
      const left: Grant[] = [];
      for (const grant of grants)
        if (must(await other().read((rows) => rows.grant(grant.id))) !== undefined) left.push(grant);
      return left.map(({ id }) => id);
    };
    const removedRows = async () => must(await other().read((rows) => rows.retention.removedRows()));

    it('are requests that were over before a moment, with everything that belongs to them, and no other requests', async () => {
      const over = overBefore(requester);
      const kept = notOverBefore(requester);
      await insert([...over, ...kept]);
      expect(await remove('requests')).toMatchObject({ count: over.length, lastSeq: over.length });
      expect(await idsLeft([...over, ...kept])).toEqual(kept.map(({ id }) => id));
      for (const { id } of over) {
        expect(must(await store.read((rows) => rows.hostFacts(id)))).toBeNull();
        expect(must(await store.read((rows) => rows.match(id)))).toBeUndefined();
      }
      expect(await seqs()).toHaveLength(over.length + kept.length);
      expect(await remove('requests')).toMatchObject({ count: 0 });
      expect(await removedRows()).toEqual([
        { class: 'requests', count: over.length, lastSeq: over.length, beforeMs: BEFORE_MS },
      ]);
    });

    it('are never requests that are undecided or can still be used', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(anyGrant(requester, ['f'.repeat(64)]), { maxLength: 12 }), async (grants) => {
          await insert(grants);
          const live = grants.filter((grant) => ['pending', 'approved'].includes(stateAt(grant, NOW_MS)));
          await remove('requests', { beforeMs: NOW_MS });
          expect(await idsLeft(live)).toEqual(live.map(({ id }) => id));
          const expired = grants.filter((grant) => stateAt(grant, NOW_MS + 100) === 'expired');
          await remove('requests', { beforeMs: NOW_MS + 100, nowMs: NOW_MS + 100, limit: 1_000 });
          expect(await idsLeft(expired)).toEqual([]);
        }),
        { numRuns: 25 },
      );
    });

    it('are as many rows as one turn may take; the next turn continues', async () => {
      const over = overBefore(requester);
      await insert(over);
      expect((await remove('requests', { limit: 3 })).count).toBe(3);
      expect(await idsLeft(over)).toHaveLength(over.length - 3);
      expect((await remove('requests', { limit: 3 })).count).toBe(3);
      expect((await remove('requests', { limit: 3 })).count).toBe(1);
      await record(Array.from({ length: 5 }, (_, at) => plainEvent('policy.used', null, NOW_MS - 5_000 + at)));
      const turns = [await remove('uses', { limit: 2 })];
      for (const _ of [1, 2, 3]) turns.push(await remove('uses', { limit: 2, fromMs: turns.at(-1)?.lastAtMs ?? 0 }));
      expect(turns.map(({ count }) => count)).toEqual([2, 2, 1, 0]);
    });

    it('are uses or other events, whichever is asked for; the counts on a grant stay', async () => {
      const standing = approved(requester, { kind: 'always' }, { ...OLD, uses: 2, scope: COMMAND_SCOPE });
      await insert([standing]);
      await record([
        grantEvent('grant.approved', standing, null, NOW_MS - 8_000),
        grantEvent('grant.used', standing, null, NOW_MS - 7_000),
        grantEvent('line.finished', standing, null, NOW_MS - 7_000),
        plainEvent('policy.vetoed', null, NOW_MS - 6_000),
        plainEvent('token.issued', null, NOW_MS - 6_000),
        grantEvent('grant.used', standing, null, BEFORE_MS),
        plainEvent('token.issued', null, BEFORE_MS),
      ]);
      expect(await remove('uses')).toMatchObject({ count: 2, lastSeq: 5 });
      expect(await seqs()).toEqual([1, 2, 4, 6, 7, 8]);
      expect(must(await other().read((rows) => rows.grant(standing.id)))).toEqual(standing);
      expect(await remove('events')).toMatchObject({ count: 2, lastSeq: 6 });
      expect(await seqs()).toEqual([1, 2, 7, 8]);
      expect(must(await other().read((rows) => rows.lastSeq()))).toBe(8);
      expect(await removedRows()).toEqual([
        { class: 'events', count: 2, lastSeq: 6, beforeMs: BEFORE_MS },
        { class: 'uses', count: 2, lastSeq: 5, beforeMs: BEFORE_MS },
      ]);
      await record([plainEvent('token.issued', null, NOW_MS)]);
      expect((await seqs()).at(-1)).toBe(9);
      // The grant has three uses, and two of them are no longer on record.
      const use = () => useGrant(store, standing.id, NOW_MS, async () => {});
      expect([await use(), await use()]).toEqual([true, false]);
    });

    it('are the events about the origin of a request, but only once the request is over', async () => {
      const pending = sampleGrant(requester, { ...OLD, expiresAtMs: NOW_MS + 1 });
      const denied = sampleGrant(requester, { ...OLD, state: 'denied', decidedAtMs: NOW_MS - 8_000 });
      await insert([pending, denied]);
      await record([
        grantEvent('grant.repeated', pending, null, NOW_MS - 8_000),
        grantEvent('grant.denied', denied, null, NOW_MS - 8_000),
      ]);
      expect((await remove('events')).count).toBe(2);
      expect(await seqs()).toEqual([1, 3]);
      expect((await remove('events', { nowMs: NOW_MS + 1 })).count).toBe(2);
    });

    it('include the events about earlier removals only together with other events', async () => {
      await record([plainEvent('record.cut', null, NOW_MS - 8_000), plainEvent('record.cut', null, NOW_MS - 7_000)]);
      expect((await remove('events')).count).toBe(0);
      await record([plainEvent('token.issued', null, NOW_MS - 6_000), plainEvent('record.cut', null, NOW_MS)]);
      expect(await remove('events')).toMatchObject({ count: 3, lastSeq: 3 });
      expect(await seqs()).toEqual([4]);
    });

    it('is removed once, however many servers remove it, and the store stays consistent', async () => {
      const over = overBefore(requester).filter(({ state }) => state === 'pending');
      await insert(over);
      await record(Array.from({ length: 40 }, () => plainEvent('token.issued', null, NOW_MS - 5_000)));
      const all = await Promise.all(
        [0, 1, 2, 3].flatMap((index) => {
          const from = opened.stores[index % opened.stores.length];
          return (['events', 'requests'] as const).map((kind) => remove(kind, { limit: 1_000 }, from));
        }),
      );
      expect(all.reduce((sum, { count }) => sum + count, 0)).toBe(41 + over.length);
      expect((await removedRows()).map(({ count }) => count)).toEqual([41, over.length]);
      await record([plainEvent('record.cut', null, NOW_MS)]);
      expect(must(await store.check())).toEqual([]);
    });

    it('is not removed if the removal cannot be recorded', async () => {
      await insert(overBefore(requester));
      const broken = await store.write(async (rows) => {
        await rows.retention.removeOld('requests', TURN);
        throw new Error('the disk is full');
      });
      expect(broken.ok).toBe(false);
      expect(await removedRows()).toEqual([]);
      expect((await remove('requests')).count).toBe(7);
    });
  });
}
