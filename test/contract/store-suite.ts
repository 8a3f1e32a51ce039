/** What every store promises. Memory, SQLite and PostgreSQL run this one suite. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { plainEvent } from '../../src/core/grant/audit-event.ts';
import type { Policy } from '../../src/core/policy/policy.ts';
import type { Store } from '../../src/store/store.ts';
import { describeGrantLists } from './grant-lists-suite.ts';
import { describeGrantRows } from './grant-rows-suite.ts';
import { describeHistory } from './history-suite.ts';
import { describePasskeys } from './passkey-suite.ts';
import { describeRetention } from './retention-suite.ts';
import { describeStandingUses } from './standing-uses-suite.ts';
import { COMMAND_SCOPE, must, NOW_MS, newSubject, sampleGrant, samplePolicy, uneven } from './store-samples.ts';
import { describeSubjects } from './subjects-suite.ts';
import { describeUses } from './uses-suite.ts';

/** @property stores connections to one database, like those of several servers */
export interface OpenStores {
  readonly stores: readonly [Store, ...Store[]];
  close(): Promise<void>;
}

export function describeStore(name: string, open: () => Promise<OpenStores>): void {
  describeRetention(name, open);
  describeHistory(name, open);
  describe(`the ${name} store`, () => {
    let opened: OpenStores;
    let store: Store;
    beforeAll(async () => {
      opened = await open();
      store = opened.stores[0];
    });
    afterAll(() => opened.close());
    const connection = (index: number): Store => opened.stores[index % opened.stores.length] ?? store;

    describeGrantRows(connection);
    describeUses(connection);
    describeGrantLists(connection);
    describeSubjects(connection);
    describePasskeys(connection);
    describeStandingUses(connection);

    it('numbers events without gaps in the order of the commits, over any number of connections', async () => {
      const before = must(await store.read((rows) => rows.lastSeq()));
      const seen: number[] = [];
      const writers = Array.from({ length: 16 }, async (_, index) => {
        const written = await connection(index).write(async (rows) => {
          rows.record(plainEvent('session.opened', null, NOW_MS, { index }));
          await uneven([0, 2, 1], index)();
          if (index % 5 === 4) throw new Error('undone');
          if (index % 3 === 0) rows.record(plainEvent('session.closed', null, NOW_MS, { index }));
        });
        if (!written.ok) return;
        // A writer that has its own number can read every smaller number.
        const last = written.value.events.at(-1)?.seq ?? 0;
        const all = must(await connection(index + 1).read((rows) => rows.events(before, 1_000)));
        expect(all.filter((event) => event.seq <= last).map((event) => event.seq)).toEqual(
          Array.from({ length: last - before }, (_value, offset) => before + 1 + offset),
        );
        seen.push(...written.value.events.map((event) => event.seq));
      });
      await Promise.all(writers);
      const stored = must(await store.read((rows) => rows.events(before, 1_000)));
      expect(stored.map((event) => event.seq)).toEqual(seen.toSorted((left, right) => left - right));
      expect(stored.some((event) => event.facts['index'] === 4)).toBe(false);
      expect(must(await store.read((rows) => rows.lastSeq()))).toBe(stored.at(-1)?.seq);
    });

    it('undoes everything if a transaction fails', async () => {
      const requester = await newSubject(store);
      const kept = sampleGrant(requester);
      const lost = sampleGrant(requester);
      must(await store.write((rows) => rows.insertGrant(kept)));
      const failing = await store.write(async (rows) => {
        await rows.insertGrant(lost);
        await rows.replaceGrant({ ...kept, version: 2, state: 'denied' });
        await rows.insertGrant(kept); // fails, because the grant exists already
      });
      expect(failing.ok).toBe(false);
      expect(must(await store.read((rows) => rows.grant(lost.id)))).toBeUndefined();
      expect(must(await store.read((rows) => rows.grant(kept.id)))?.state).toBe('pending');
    });

    it('keeps policies, counts their uses while they are live, and ends each policy once', async () => {
      const owner = await newSubject(store, { role: 'approver', publicKey: null, id: `s_owner_${name}` });
      const requester = await newSubject(store);
      const deny = samplePolicy(owner.id, { id: `p_deny_${requester.id}` });
      const reading = samplePolicy(owner.id, {
        id: `p_read_${requester.id}`,
        effect: 'allow-reading',
        requesterId: requester.id,
        rule: COMMAND_SCOPE,
        createdAtMs: NOW_MS + 1,
      } as Partial<Policy>);
      must(
        await store.write(async (rows) => {
          await rows.insertPolicy(deny);
          await rows.insertPolicy(reading);
        }),
      );
      const listed = async (isLive: boolean) =>
        must(await connection(1).read((rows) => rows.policies({ isLive, limit: 10 })));
      expect(await listed(true)).toEqual([reading, deny]);
      expect(
        must(await connection(2).read((rows) => rows.livePolicies()))
          .map(({ id }) => id)
          .toSorted(),
      ).toEqual([deny.id, reading.id].toSorted());
      const uses = await Promise.all(
        Array.from({ length: 12 }, (_, at) =>
          connection(at).write(async (rows) => {
            const held = await rows.holdPolicies([deny.id, reading.id]);
            expect(held.map(({ id }) => id).toSorted()).toEqual([deny.id, reading.id].toSorted());
            return rows.usePolicy(deny.id);
          }),
        ),
      );
      expect(uses.every((use) => must(use).value)).toBe(true);
      const ended = await Promise.all(
        [0, 1, 2].map((at) => connection(at).write((rows) => rows.endPolicy(deny.id, NOW_MS + 5))),
      );
      expect(ended.filter((one) => must(one).value)).toHaveLength(1);
      expect(must(await store.write((rows) => rows.usePolicy(deny.id))).value).toBe(false);
      expect(must(await connection(1).read((rows) => rows.policy(deny.id)))).toEqual({
        ...deny,
        uses: 12,
        endedAtMs: NOW_MS + 5,
      });
      expect(await listed(false)).toMatchObject([{ id: deny.id }]);
    });
  });
}
