/** What every store promises about uses of standing grants: the facts that it reads before a use, and that a use is recorded at most once. */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { type AuditKind, grantEvent, plainEvent } from '../../src/core/grant/audit-event.ts';
import { type Grant, transition } from '../../src/core/grant/grant.ts';
import type { SealedApprovers } from '../../src/core/wire/sealed.ts';
import type { StandingFacts, StandingQuestion, UsedGrant } from '../../src/store/standing-uses.ts';
import { type EventMark, FIRST_MARK, type Store, type Subject } from '../../src/store/store.ts';
import { approved, must, NOW_MS, newSubject, sampleGrant } from './store-samples.ts';

/** Earlier than the events of the other suites, which look at the newest events. */
const USED_AT_MS = NOW_MS - 1_000;
const LETTERS = ['a', 'b', 'c'].map((letter) => letter.repeat(64)) as [string, string, string];

const insert = async (store: Store, ...grants: readonly Grant[]): Promise<void> => {
  must(
    await store.write(async (rows) => {
      for (const grant of grants) await rows.insertGrant(grant);
    }),
  );
};

const lastMark = async (store: Store): Promise<EventMark> => must(await store.read((rows) => rows.lastMark()));

/** The facts that the store gives to a decision that uses no grant. */
async function look(store: Store, requests: StandingQuestion['requests'], after = FIRST_MARK): Promise<StandingFacts> {
  const question = { requests, after, nowMs: NOW_MS };
  const used = await store.useStanding(question, (facts) => ({ used: [], value: facts }));
  const { value, events } = must(used);
  expect([value.counted, events]).toEqual([new Set(), []]);
  return value.value;
}

/** Makes `count` uses of a grant, with an event for each. */
function usesOf(grant: Grant, count: number, fact = 'x'): UsedGrant {
  let after = grant;
  const events = Array.from({ length: count }, () => {
    const used = transition(after, { kind: 'use' }, USED_AT_MS);
    if (!used.ok) throw new Error('the grant cannot be used');
    after = used.value;
    return grantEvent('grant.used', after, after.requesterId, USED_AT_MS, { uses: after.uses, fact });
  });
  return { grant: after, uses: count, events };
}

const onRecord = async (store: Store, { id }: Grant) =>
  must(
    await store.read(async (rows) => ({
      grant: await rows.grant(id),
      events: (await rows.eventsOf(id, 'grant.used', 1_000)).map(({ actorId, atMs, facts }) => ({
        actorId,
        atMs,
        facts,
      })),
    })),
  );

export function describeStandingUses(connection: (index: number) => Store): void {
  describe('uses of standing grants', () => {
    const requestsOf = ({ id }: Subject) => LETTERS.map((fingerprint) => ({ requesterId: id, fingerprint }));

    it('are decided with the approved and live grants for exactly these requests', async () => {
      const [store, other] = [connection(0), connection(1)];
      const [asker, another] = [await newSubject(store), await newSubject(store)];
      const [a, b, c] = LETTERS;
      const always = { kind: 'always' } as const;
      const counting = [
        approved(asker, always, { fingerprint: a }),
        approved(asker, { kind: 'timed', untilMs: NOW_MS + 1 }, { fingerprint: a }),
        approved(asker, always, { fingerprint: b, confinement: { level: 1, profile: 'ü' } as never }),
      ];
      await insert(
        store,
        ...counting,
        approved(asker, { kind: 'timed', untilMs: NOW_MS }, { fingerprint: a }),
        sampleGrant(asker, { fingerprint: a }),
        approved(asker, always, { fingerprint: a, state: 'revoked' }),
        approved(asker, always, { fingerprint: 'd'.repeat(64) }),
        approved(another, always, { fingerprint: c }),
      );
      const byId = (grants: readonly Grant[]) => grants.toSorted((left, right) => (left.id < right.id ? -1 : 1));
      expect(byId((await look(other, requestsOf(asker))).grants)).toEqual(byId(counting));
      expect((await look(other, [{ requesterId: 's_none', fingerprint: a }])).grants).toEqual([]);
    });

    it('are decided with the paused and revoked requesters among those that ask, with or without a grant', async () => {
      const store = connection(0);
      const [bare, covered, free, absent] = [
        await newSubject(store),
        await newSubject(store),
        await newSubject(store),
        await newSubject(store),
      ] as const;
      await insert(store, approved(covered, { kind: 'always' }, { fingerprint: LETTERS[0] }));
      for (const { id } of [bare, covered, absent])
        must(
          await store.write((rows) => rows.insertPause({ requesterId: id, sinceMs: NOW_MS, byId: null, reason: 'x' })),
        );
      const requests = [bare, covered, free].flatMap(requestsOf);
      expect((await look(connection(1), requests)).stopped).toEqual(new Set([bare.id, covered.id]));
      must(await store.write((rows) => rows.endPause(covered.id)));
      expect((await look(connection(1), requests)).stopped).toEqual(new Set([bare.id]));
      must(await store.write((rows) => rows.revokeSubject(free.id, NOW_MS)));
      expect((await look(connection(1), requests)).stopped).toEqual(new Set([bare.id, free.id]));
    });

    it('are decided with the sequence of the newest list of approvers', async () => {
      const store = connection(0);
      const requests = requestsOf(await newSubject(store));
      const before = (await look(connection(1), requests)).approversSequence;
      expect(before).toBe(must(await store.read((rows) => rows.approversSequence())));
      for (const more of [1, 2]) {
        const sealed = { document: { sequence: before + more } } as SealedApprovers;
        must(await store.write((rows) => rows.insertApprovers(sealed)));
        expect((await look(connection(1), requests)).approversSequence).toBe(before + more);
      }
    });

    const CHANGES: readonly AuditKind[] = [
      'grant.approved',
      'grant.revoked',
      'policy.created',
      'policy.ended',
      'record.cut',
    ];
    it.each(CHANGES)('are decided with the fact whether an event %s came after the last known event', async (kind) => {
      const store = connection(0);
      const requests = requestsOf(await newSubject(store));
      const before = await lastMark(store);
      must(await store.write(async (rows) => rows.record(plainEvent('owner.linked', null, NOW_MS))));
      expect((await look(connection(1), requests, before)).hasChanges).toBe(false);
      must(await store.write(async (rows) => rows.record(plainEvent(kind, null, NOW_MS))));
      expect((await look(connection(1), requests, before)).hasChanges).toBe(true);
      expect((await look(connection(1), requests, await lastMark(store))).hasChanges).toBe(false);
    });

    it('are counted and recorded, many at once; a grant with another version is left out, with its events', async () => {
      const store = connection(0);
      const requester = await newSubject(store);
      const always = { kind: 'always' } as const;
      const [first, second, third] = LETTERS.map((fingerprint) => approved(requester, always, { fingerprint })) as [
        Grant,
        Grant,
        Grant,
      ];
      await insert(store, first, second, third);
      const text = 'ü\0"\\';
      const used = await connection(1).useStanding(
        { requests: requestsOf(requester), after: await lastMark(store), nowMs: NOW_MS },
        ({ grants }) => {
          expect(grants).toHaveLength(3);
          const used = [
            usesOf(first, 1, text),
            usesOf({ ...second, version: second.version - 1 }, 1),
            usesOf(third, 3, text),
          ];
          return { used, value: 'mine' };
        },
      );
      expect(must(used).value).toEqual({ value: 'mine', counted: new Set([first.id, third.id]) });
      expect(await onRecord(store, second)).toEqual({ grant: second, events: [] });
      for (const [grant, count] of [[first, 1] as const, [third, 3] as const]) {
        const { version, uses } = grant;
        const now = await onRecord(store, grant);
        expect(now.grant).toEqual({ ...grant, version: version + count, uses: uses + count, usedAtMs: USED_AT_MS });
        expect(now.events).toEqual(
          Array.from({ length: count }, (_, index) => ({
            actorId: requester.id,
            atMs: USED_AT_MS,
            facts: { uses: count - index, fact: text },
          })),
        );
      }
    });

    it('by many servers at once are each counted once, and recorded only if they are counted', async () => {
      const store = connection(0);
      const requester = await newSubject(store);
      const [a, b] = LETTERS.map((fingerprint) => approved(requester, { kind: 'always' }, { fingerprint }));
      if (a === undefined || b === undefined) throw new Error('two grants are missing');
      await insert(store, a, b);
      const requests = requestsOf(requester);
      const counted = new Map([
        [a.id, 0],
        [b.id, 0],
      ]);
      const after = await lastMark(store);
      const server = async (index: number) => {
        for (let turn = 0; turn < 12; turn += 1) {
          const used = await connection(index).useStanding({ requests, after, nowMs: NOW_MS }, ({ grants }) => ({
            used: grants.map((grant) => usesOf(grant, 1 + (turn % 2))),
            value: 1 + (turn % 2),
          }));
          const { value } = must(used);
          for (const id of value.counted) counted.set(id, (counted.get(id) ?? 0) + value.value);
        }
      };
      await Promise.all([0, 1, 2, 3, 4, 5].map(server));
      for (const grant of [a, b]) {
        const now = await onRecord(store, grant);
        expect(now.grant?.uses).toBe(counted.get(grant.id));
        const numbers = now.events.map(({ facts }) => Number(facts['uses'])).toSorted((left, right) => left - right);
        expect(numbers).toEqual(Array.from({ length: now.grant?.uses ?? 0 }, (_, index) => index + 1));
        expect(numbers.length).toBeGreaterThan(0);
      }
    });

    describe('by a server that has used the grants before', () => {
      const always = { kind: 'always' } as const;
      /** Uses each grant once, as the server does: no grant of a paused requester, and no grant if there were changes after `after`. */
      const useEach = async (requests: StandingQuestion['requests'], index = 1, after?: EventMark) => {
        const question = { requests, after: after ?? (await lastMark(connection(0))), nowMs: NOW_MS };
        const used = await connection(index).useStanding(question, (facts) => ({
          used: facts.hasChanges
            ? []
            : facts.grants
                .filter(({ requesterId }) => !facts.stopped.has(requesterId))
                .map((grant) => usesOf(grant, 1)),
          value: facts,
        }));
        return must(used).value;
      };
      const scene = async () => {
        const store = connection(0);
        const requester = await newSubject(store);
        const [first, second] = LETTERS.map((fingerprint) => approved(requester, always, { fingerprint })) as [
          Grant,
          Grant,
        ];
        await insert(store, first, second);
        const requests = requestsOf(requester).slice(0, 2);
        const seq = await lastMark(store);
        for (let turn = 0; turn < 3; turn += 1)
          expect((await useEach(requests, 1, seq)).counted).toEqual(new Set([first.id, second.id]));
        return { store, requester, first, second, requests, seq };
      };
      const usesNow = async (...grants: readonly Grant[]) => {
        const found = await Promise.all(grants.map((grant) => onRecord(connection(0), grant)));
        for (const { grant, events } of found) expect(events).toHaveLength(grant?.uses ?? -1);
        return found.map(({ grant }) => grant?.uses);
      };

      it('are decided with the newest list of approvers', async () => {
        const { store, first, second, requests, seq } = await scene();
        const { approversSequence } = (await useEach(requests, 1, seq)).value;
        const sealed = { document: { sequence: approversSequence + 1 } } as SealedApprovers;
        must(await store.write((rows) => rows.insertApprovers(sealed)));
        for (let turn = 0; turn < 2; turn += 1) {
          const used = await useEach(requests, 1, seq);
          expect([used.counted.size, used.value.approversSequence]).toEqual([2, approversSequence + 1]);
        }
        expect(await usesNow(first, second)).toEqual([6, 6]);
      });

      it('are each counted and recorded once, also with uses by another server in between', async () => {
        const { first, second, requests, seq } = await scene();
        expect((await useEach(requests.slice(0, 1), 2, seq)).counted).toEqual(new Set([first.id]));
        expect((await useEach(requests, 1, seq)).counted).toEqual(new Set([first.id, second.id]));
        expect((await useEach(requests, 2, seq)).counted).toEqual(new Set([first.id, second.id]));
        expect((await useEach(requests, 1, seq)).counted).toEqual(new Set([first.id, second.id]));
        expect(await usesNow(first, second)).toEqual([7, 6]);
      });

      it('stop while the requester is paused', async () => {
        const { store, requester, first, second, requests, seq } = await scene();
        const pause = { requesterId: requester.id, sinceMs: NOW_MS, byId: null, reason: 'x' };
        must(await store.write((rows) => rows.insertPause(pause)));
        const used = await useEach(requests, 1, seq);
        expect([used.counted, used.value.stopped]).toEqual([new Set(), new Set([requester.id])]);
        expect(await usesNow(first, second)).toEqual([3, 3]);
        must(await store.write((rows) => rows.endPause(requester.id)));
        expect((await useEach(requests, 1, seq)).counted.size).toBe(2);
      });

      it('stop for a grant that has ended, and continue for the other grant', async () => {
        const { store, requester, first, second, requests, seq } = await scene();
        const now = must(await store.read((rows) => rows.grant(first.id)));
        const revoked = now === undefined ? undefined : transition(now, { kind: 'revoke', by: requester.id }, NOW_MS);
        if (revoked === undefined || !revoked.ok) throw new Error('it cannot be revoked');
        expect(must(await store.write((rows) => rows.replaceGrant(revoked.value))).value).toBe(true);
        const used = await useEach(requests, 1, seq);
        expect([used.counted, used.value.grants.map(({ id }) => id)]).toEqual([new Set([second.id]), [second.id]]);
        expect(await usesNow(first, second)).toEqual([3, 4]);
      });

      it('stop for a grant whose revocation is under way and then committed', async () => {
        const { store, requester, first, second, requests, seq } = await scene();
        const now = must(await store.read((rows) => rows.grant(first.id)));
        const revoked = now === undefined ? undefined : transition(now, { kind: 'revoke', by: requester.id }, NOW_MS);
        if (revoked === undefined || !revoked.ok) throw new Error('it cannot be revoked');
        const uses: ReturnType<typeof useEach>[] = [];
        must(
          await store.write(async (rows) => {
            expect(await rows.replaceGrant(revoked.value)).toBe(true);
            for (const index of [1, 2]) uses.push(useEach(requests, index, seq));
            await sleep(300); // the uses reach the database before the revocation is committed
          }),
        );
        for (const { counted } of await Promise.all(uses)) expect(counted.has(first.id)).toBe(false);
        expect(await usesNow(first)).toEqual([3]);
        expect((await useEach(requests, 1, seq)).counted).toEqual(new Set([second.id]));
      });

      it.each(['grant.approved', 'policy.created'] as const)(
        'are refused until the event %s is known',
        async (kind) => {
          const { store, first, second, requests, seq } = await scene();
          must(await store.write(async (rows) => rows.record(plainEvent(kind, null, NOW_MS))));
          const used = await useEach(requests, 1, seq);
          expect([used.counted, used.value.hasChanges]).toEqual([new Set(), true]);
          expect(await usesNow(first, second)).toEqual([3, 3]);
          expect((await useEach(requests)).counted.size).toBe(2);
        },
      );

      it('stop when the record does not have the last known event, as after a failover that lost it', async () => {
        const { store, first, second, requests, seq } = await scene();
        const lost = { seq: seq.seq, atMs: seq.atMs - 1 };
        const used = await useEach(requests, 1, lost);
        expect([used.counted, used.value.hasChanges]).toEqual([new Set(), true]);
        expect(await usesNow(first, second)).toEqual([3, 3]);
        expect(must(await store.read((rows) => rows.standingChanges(lost)))).toBe(null);
        expect((await useEach(requests, 1, seq)).counted.size).toBe(2);
      });

      it('include a new grant once its event is known', async () => {
        const { store, requester, requests } = await scene();
        const third = approved(requester, always, { fingerprint: LETTERS[0] });
        await insert(store, third);
        must(await store.write(async (rows) => rows.record(grantEvent('grant.approved', third, null, NOW_MS))));
        expect((await useEach(requests)).value.grants.map(({ id }) => id)).toContain(third.id);
      });
    });

    it('do not use a grant that was revoked before the grants were read', async () => {
      const store = connection(0);
      const requester = await newSubject(store);
      const grant = approved(requester, { kind: 'always' }, { fingerprint: LETTERS[0] });
      await insert(store, grant);
      const revoked = transition(grant, { kind: 'revoke', by: requester.id }, NOW_MS);
      if (!revoked.ok) throw new Error('it cannot be revoked');
      expect(must(await store.write((rows) => rows.replaceGrant(revoked.value))).value).toBe(true);
      expect((await look(connection(1), requestsOf(requester))).grants).toEqual([]);
      const used = await connection(1).useStanding(
        { requests: requestsOf(requester), after: FIRST_MARK, nowMs: NOW_MS },
        () => ({ used: [usesOf(grant, 1)], value: null }), // as if it was revoked after the grants were read
      );
      expect(must(used).value.counted).toEqual(new Set());
      expect(await onRecord(store, grant)).toEqual({ grant: revoked.value, events: [] });
    });
  });
}
