/** What every store promises. One suite; memory, SQLite and PostgreSQL run it. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Confinement } from '../../src/core/confinement/confinement.ts';
import { grantEvent, plainEvent } from '../../src/core/grant/audit-event.ts';
import {
  compareForUse,
  expiryAtMs,
  type Grant,
  type GrantState,
  stateAt,
  type Term,
  transition,
} from '../../src/core/grant/grant.ts';
import type { Policy } from '../../src/core/policy/policy.ts';
import { success } from '../../src/core/result.ts';
import { sha256Hex } from '../../src/platform/digest.ts';
import type { Enrolment, Store, StoreReader } from '../../src/store/store.ts';
import { describeHistory } from './history-suite.ts';
import { describePasskeys } from './passkey-suite.ts';
import { describeRetention } from './retention-suite.ts';
import { describeStandingUses } from './standing-uses-suite.ts';
import {
  anyGrant,
  approved,
  COMMAND_SCOPE,
  FINDINGS,
  must,
  NOW_MS,
  newSubject,
  sampleGrant,
  samplePolicy,
  TOUCHED,
  useGrant,
} from './store-samples.ts';

/** @property stores connections to one database, as several servers would have them */
export interface OpenStores {
  readonly stores: readonly [Store, ...Store[]];
  close(): Promise<void>;
}

const ALL_STATES: readonly GrantState[] = ['pending', 'approved', 'denied', 'withdrawn', 'used', 'revoked', 'expired'];
const credential = (subjectId: string, hash: string, expiresAtMs: number) => ({
  hash,
  subjectId,
  createdAtMs: NOW_MS,
  expiresAtMs,
});
const tokenHolder = async (rows: StoreReader, hash: string, nowMs: number) =>
  (await rows.tokenHolders(['other', hash, hash], nowMs)).get(hash);
/** Waits as many turns of the event loop as `rolls` has for this index, so that transactions of several connections overlap. */
const uneven = (rolls: readonly number[], index: number) => async () => {
  for (let turn = 0; turn < (rolls[index % rolls.length] ?? 0); turn += 1)
    await new Promise((resolve) => setImmediate(resolve));
};

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

    describePasskeys(connection);
    describeStandingUses(connection);

    it('finds an approval of the same deciding variables, given to the same requester for another request, unless it was revoked', async () => {
      const [requester, stranger] = [await newSubject(store), await newSubject(store)];
      const known = 'a'.repeat(64);
      const knows = (of: string, digest: string, except: string | null) =>
        store.read((rows) => rows.hasApprovedDeciding(of, digest, except)).then(must);
      const grants = (['pending', 'denied', 'withdrawn', 'revoked'] as const).map((state) =>
        sampleGrant(requester, { state, approvedDeciding: known }),
      );
      const other = sampleGrant(requester, { state: 'approved', approvedDeciding: 'b'.repeat(64) });
      const without = sampleGrant(requester, { state: 'approved' });
      must(
        await store.write(async (rows) => {
          for (const grant of [...grants, other, without]) await rows.insertGrant(grant);
        }),
      );
      expect(await knows(requester.id, known, null)).toBe(false);
      for (const state of ['approved', 'used'] as const) {
        const grant = sampleGrant(requester, { state, term: { kind: 'once' }, approvedDeciding: known });
        must(await store.write((rows) => rows.insertGrant(grant)));
        expect(await store.read((rows) => rows.grant(grant.id)).then(must)).toEqual(grant);
        expect(await knows(requester.id, known, null)).toBe(true);
        expect(await knows(requester.id, known, grant.id)).toBe(false);
        expect(await knows(stranger.id, known, null)).toBe(false);
        expect(await knows(requester.id, 'c'.repeat(64), null)).toBe(false);
        must(await store.write((rows) => rows.replaceGrant({ ...grant, version: 2, state: 'revoked' })));
      }
      expect(await knows(requester.id, known, null)).toBe(false);
    });

    it('gives every grant back as it was written', async () => {
      const requester = await newSubject(store);
      await fc.assert(
        fc.asyncProperty(anyGrant(requester, ['a'.repeat(64)]), async (grant) => {
          must(await store.write((rows) => rows.insertGrant(grant)));
          expect(must(await connection(1).read((rows) => rows.grant(grant.id)))).toEqual(grant);
        }),
        { numRuns: 60 },
      );
    });

    it('keeps a plan with what was found about its parts, and lists it among plans', async () => {
      const requester = await newSubject(store);
      const plan = sampleGrant(requester, { partUses: [0, 0] });
      const other = sampleGrant(requester);
      must(
        await store.write(async (rows) => {
          await rows.insertGrant(plan, [FINDINGS, null]);
          await rows.insertGrant(other, FINDINGS);
        }),
      );
      await must(
        await connection(1).read(async (rows) => {
          expect(await rows.grant(plan.id)).toEqual(plan);
          expect(await rows.planFindings(plan.id)).toEqual([FINDINGS, null]);
          expect(await rows.findings(plan.id)).toBeNull();
          expect(await rows.planFindings(other.id)).toEqual([]);
          expect(await rows.findings(other.id)).toEqual(FINDINGS);
          const listed = await rows.grants({ requesterId: requester.id, isPlan: true, limit: 9, nowMs: NOW_MS });
          expect(listed.map(({ id }) => id)).toEqual([plan.id]);
          const past = await rows.pastRequests(requester.id, 9);
          expect(past.map(({ grantId }) => grantId)).toEqual([other.id]);
        }),
      );
    });

    it('uses each part of a plan as often as it was given, however many ask at once', async () => {
      const requester = await newSubject(store);
      const parts = [1, 2].map((part) => ({ part, fingerprint: 'a'.repeat(64), scope: null, uses: 3 }));
      const scope = { kind: 'plan', order: false, parts } as const;
      const term = { kind: 'timed', untilMs: NOW_MS + 1_000 } as const;
      const plan = approved(requester, term, { scope, partUses: [0, 0] });
      must(await store.write((rows) => rows.insertGrant(plan)));
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
      expect(must(await store.read((rows) => rows.grant(plan.id)))).toMatchObject({
        state: 'used',
        partUses: [3, 3],
        uses: 6,
        version: 8,
      });
    });

    it('keeps the number of a request, and counts each wrong pick once, on however many connections', async () => {
      const grant = sampleGrant(await newSubject(store));
      const match = { grantId: grant.id, number: '07', decoys: ['01', '02'], wrong: 0 };
      must(await store.write((rows) => rows.insertGrant(grant)));
      expect(must(await store.read((rows) => rows.match(grant.id)))).toBeUndefined();
      must(await store.write((rows) => rows.insertMatch(match)));
      const picks = await Promise.all(
        [0, 1, 2, 3].map((index) => connection(index).write((rows) => rows.countWrongPick(match))),
      );
      expect(picks.map((each) => must(each).value).filter((isCounted) => isCounted)).toHaveLength(1);
      expect(must(await connection(1).read((rows) => rows.match(grant.id)))).toEqual({ ...match, wrong: 1 });
    });

    it('pauses a requester once, and says so everywhere until it ends', async () => {
      const { id } = await newSubject(store);
      const pause = { requesterId: id, sinceMs: NOW_MS, byId: null, reason: 'é' };
      const tries = [0, 1, 2].map((index) => connection(index).write((rows) => rows.insertPause(pause)));
      const made = (await Promise.all(tries)).map((each) => must(each).value);
      expect(made.filter((isMade) => isMade)).toHaveLength(1);
      expect(must(await connection(1).read((rows) => rows.pause(id)))).toEqual(pause);
      expect(must(await store.read((rows) => rows.pauses()))).toContainEqual(pause);
      const end = () => store.write((rows) => rows.endPause(id));
      expect([must(await end()).value, must(await end()).value]).toEqual([true, false]);
      expect(must(await connection(1).read((rows) => rows.pause(id)))).toBeUndefined();
    });

    it('replaces the key of a requester once, and with it ends its tokens and the request for a new one', async () => {
      const { id, publicKey } = await newSubject(store);
      const other = await newSubject(store);
      const ask = { requesterId: id, askedAtMs: NOW_MS, byId: null };
      const asked = [0, 1, 2].map((index) => connection(index).write((rows) => rows.keys.insertKeyRequest(ask)));
      expect((await Promise.all(asked)).filter((each) => must(each).value)).toHaveLength(1);
      expect(must(await connection(1).read((rows) => rows.keys.keyRequest(id)))).toEqual(ask);
      expect(must(await store.read((rows) => rows.keys.keyRequests()))).toContainEqual(ask);
      const token = (subjectId: string) => ({
        hash: sha256Hex(`token of ${subjectId}`),
        subjectId,
        createdAtMs: NOW_MS,
        expiresAtMs: NOW_MS + 1000,
      });
      for (const each of [id, other.id]) must(await store.write((rows) => rows.insertToken(token(each))));

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
      expect(must(await store.read((rows) => rows.subjectByPublicKey(from)))).toBeUndefined();
      expect(must(await store.read((rows) => rows.keys.replacedKey(from)))).toEqual(replaced(now));
      expect(must(await store.read((rows) => rows.keys.replacedKey(now)))).toBeUndefined();
      expect(must(await store.read((rows) => rows.keys.keyRequest(id)))).toBeUndefined();
      const held = must(await store.read((rows) => rows.tokenHolders([token(id).hash, token(other.id).hash], NOW_MS)));
      expect([...held.keys()]).toEqual([token(other.id).hash]);

      const later = { publicKey: now, requesterId: id, replacedBy: `${id}-next`, replacedAtMs: NOW_MS + 1 };
      expect(must(await store.write((rows) => rows.keys.replaceKey(later))).value).toBe(true);
      expect(must(await store.read((rows) => rows.keys.replacedKeysOf(id, 1)))).toEqual([later]);
      expect(must(await store.read((rows) => rows.keys.lastReplacements())).get(id)).toBe(NOW_MS + 1);
      must(await store.write((rows) => rows.revokeSubject(id, NOW_MS + 2)));
      const tooLate = { publicKey: later.replacedBy, requesterId: id, replacedBy: 'x', replacedAtMs: NOW_MS + 3 };
      expect(must(await store.write((rows) => rows.keys.replaceKey(tooLate))).value).toBe(false);
    });

    it('keeps a command of 1 MB whole', async () => {
      const grant = sampleGrant(await newSubject(store));
      const large = { ...grant, request: { ...grant.request, text: `echo '${'é\n'.repeat(400_000)}'` } };
      must(await store.write((rows) => rows.insertGrant(large)));
      expect(must(await store.read((rows) => rows.grant(large.id)))?.request.text).toBe(large.request.text);
    });

    it('refuses a change that was made from an older version, and changes nothing then', async () => {
      const grant = sampleGrant(await newSubject(store));
      must(await store.write((rows) => rows.insertGrant(grant)));
      const replace = (changed: typeof grant) => store.write((rows) => rows.replaceGrant(changed));
      expect(must(await replace({ ...grant, version: 2, state: 'denied', denyReason: 'no' })).value).toBe(true);
      expect(must(await replace({ ...grant, version: 2, state: 'approved', term: { kind: 'always' } })).value).toBe(
        false,
      );
      expect(must(await replace({ ...grant, version: 4, state: 'withdrawn' })).value).toBe(false);
      const stored = must(await store.read((rows) => rows.grant(grant.id)));
      expect([stored?.version, stored?.state, stored?.denyReason]).toEqual([2, 'denied', 'no']);
    });

    it('lets a once grant be used exactly once, however many try, on however many connections', async () => {
      const requester = await newSubject(store);
      await fc.assert(
        fc.asyncProperty(
          fc.integer({ min: 2, max: 12 }),
          fc.array(fc.nat({ max: 4 }), { minLength: 1, maxLength: 6 }),
          async (tries, rolls) => {
            const grant = approved(requester, { kind: 'once' });
            must(await store.write((rows) => rows.insertGrant(grant)));
            const before = must(await store.read((rows) => rows.lastSeq()));
            const uses = Array.from({ length: tries }, (_, index) =>
              useGrant(connection(index), grant.id, NOW_MS, uneven(rolls, index)),
            );
            expect((await Promise.all(uses)).filter(Boolean)).toHaveLength(1);
            const events = must(await store.read((rows) => rows.events(before, 1_000)));
            expect(events.filter((event) => event.grantId === grant.id)).toHaveLength(1);
            expect(must(await store.read((rows) => rows.grant(grant.id)))?.uses).toBe(1);
          },
        ),
        { numRuns: 15 },
      );
    });

    it('counts every use of a standing grant, however many use it at once', async () => {
      const grant = approved(await newSubject(store), { kind: 'always' });
      must(await store.write((rows) => rows.insertGrant(grant)));
      const useOnce = async (index: number): Promise<void> => {
        const done = await connection(index).write(async (rows) => {
          await rows.lockRequest(grant.requesterId, grant.fingerprint);
          const seen = await rows.grant(grant.id);
          return seen !== undefined && rows.replaceGrant({ ...seen, version: seen.version + 1, uses: seen.uses + 1 });
        });
        expect(must(done).value).toBe(true); // the lock keeps others out between looking and writing
      };
      await Promise.all(Array.from({ length: 20 }, (_, index) => useOnce(index)));
      expect(must(await store.read((rows) => rows.grant(grant.id)))?.uses).toBe(20);
    });

    it('keeps what an approval is confined to, and a scope with its level, through every change', async () => {
      const requester = await newSubject(store);
      const pending = sampleGrant(requester);
      must(await store.write((rows) => rows.insertGrant(pending)));
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
      expect(must(await store.write((rows) => rows.replaceGrant(grant))).value).toBe(true);
      for (let uses = 1; uses < 3; uses += 1) {
        const seen = must(await store.read((rows) => rows.coveringGrants(requester.id, pending.fingerprint, NOW_MS)));
        expect(seen).toEqual([grant]);
        expect(seen[0]?.confinement).toEqual(confinement);
        grant = step(grant, { kind: 'use' }, NOW_MS);
        expect(must(await store.write((rows) => rows.replaceGrant(grant))).value).toBe(true);
      }
    });

    it('counts each use of one scoped grant, although each caller asks for another file and so holds another lock', async () => {
      const scope = { operations: ['write' as const], pathPrefix: '/p' };
      const grant = approved(await newSubject(store), { kind: 'always' }, { scope });
      must(await store.write((rows) => rows.insertGrant(grant)));
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
      expect(must(await store.read((rows) => rows.grant(grant.id)))).toMatchObject({ uses: 20, scope });
    });

    it('files the same request once when many ask at the same moment', async () => {
      const requester = await newSubject(store);
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

    it('lists each grant under the state that it has now, also when it has expired since it was written', async () => {
      const fingerprints = ['c'.repeat(64), 'd'.repeat(64)] as const;
      await fc.assert(
        fc.asyncProperty(fc.integer(), async (seed) => {
          const requester = await newSubject(store);
          const grants = fc.sample(anyGrant(requester, fingerprints), { numRuns: 12, seed });
          must(
            await store.write(async (rows) => {
              for (const grant of grants) await rows.insertGrant(grant);
            }),
          );
          for (const state of ALL_STATES) {
            const filter = { requesterId: requester.id, states: [state], limit: 200, nowMs: NOW_MS };
            const listed = must(await store.read((rows) => rows.grants(filter)));
            const expected = grants.filter((grant) => stateAt(grant, NOW_MS) === state);
            expect(listed.map((grant) => grant.id).sort()).toEqual(expected.map((grant) => grant.id).sort());
          }
          const standing = must(
            await store.read((rows) =>
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
          expect(must(await store.read((rows) => rows.pendingOf(requester.id, NOW_MS)))).toEqual({
            count: pending.length,
            bytes: pending.reduce((total, { request }) => total + Buffer.byteLength(JSON.stringify(request)), 0),
          });
          const scoped = must(await store.read((rows) => rows.scopedGrants(requester.id, NOW_MS)));
          const hasLiveScope = (grant: (typeof grants)[number]) =>
            grant.scope !== null && stateAt(grant, NOW_MS) === 'approved';
          expect(scoped).toEqual(grants.filter(hasLiveScope).sort(compareForUse));
          for (const fingerprint of fingerprints) {
            const same = grants.filter((grant) => grant.fingerprint === fingerprint);
            const covering = must(await store.read((rows) => rows.coveringGrants(requester.id, fingerprint, NOW_MS)));
            const expected = same.filter((grant) => stateAt(grant, NOW_MS) === 'approved').sort(compareForUse);
            expect(covering.map((grant) => grant.id)).toEqual(expected.map((grant) => grant.id));
            const waiting = must(await store.read((rows) => rows.pendingGrant(requester.id, fingerprint, NOW_MS)));
            const oldest = same
              .filter((grant) => stateAt(grant, NOW_MS) === 'pending')
              .map((grant) => grant.createdAtMs);
            expect(waiting?.createdAtMs ?? Number.POSITIVE_INFINITY).toBe(
              Math.min(Number.POSITIVE_INFINITY, ...oldest),
            );
          }
        }),
        { numRuns: 15 },
      );
    });

    it('lists newest first, page by page', async () => {
      const requester = await newSubject(store);
      const grants = [1, 2, 3, 4, 5].map((age) => sampleGrant(requester, { createdAtMs: NOW_MS - age }));
      must(
        await store.write(async (rows) => {
          for (const grant of grants) await rows.insertGrant(grant);
        }),
      );
      const page = (beforeMs: number) =>
        store.read((rows) => rows.grants({ requesterId: requester.id, beforeMs, limit: 2, nowMs: NOW_MS }));
      const ages = async (beforeMs: number) => must(await page(beforeMs)).map((grant) => NOW_MS - grant.createdAtMs);
      expect(await ages(NOW_MS)).toEqual([1, 2]);
      expect(await ages(NOW_MS - 2)).toEqual([3, 4]);
      expect(await ages(NOW_MS - 4)).toEqual([5]);
    });

    it('finds grants by the beginning of their ids, letter by letter', async () => {
      const requester = await newSubject(store);
      const ids = ['g_aabbccdd', 'g_aabbccde', 'g_aabbxxxx', 'gzaabbccdd'];
      must(
        await store.write(async (rows) => {
          for (const id of ids) await rows.insertGrant(sampleGrant(requester, { id }));
        }),
      );
      const found = async (idPrefix: string) => {
        const grants = await store.read((rows) =>
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

    it('knows which grants end in a span of time, and when the next one does', async () => {
      const requester = await newSubject(store);
      const farMs = NOW_MS + 90_000_000_000;
      const grants = [
        sampleGrant(requester, { expiresAtMs: farMs + 10 }),
        approved(requester, { kind: 'timed', untilMs: farMs + 20 }),
        approved(requester, { kind: 'once' }, { expiresAtMs: farMs + 30 }),
        approved(requester, { kind: 'always' }, { expiresAtMs: farMs + 15 }),
        sampleGrant(requester, { state: 'denied', expiresAtMs: farMs + 15 }),
      ] as const;
      must(
        await store.write(async (rows) => {
          for (const grant of grants) await rows.insertGrant(grant);
        }),
      );
      const between = async (after: number, until: number) =>
        must(await store.read((rows) => rows.expiredBetween(farMs + after, farMs + until)));
      expect(must(await store.read((rows) => rows.nextExpiryMs(farMs)))).toBe(farMs + 10);
      expect(must(await store.read((rows) => rows.nextExpiryMs(farMs + 10)))).toBe(farMs + 20);
      expect(must(await store.read((rows) => rows.nextExpiryMs(farMs + 30)))).toBe(null);
      expect(await between(0, 10)).toEqual([grants[0].id]);
      expect((await between(10, 30)).toSorted()).toEqual([grants[1].id, grants[2].id].sort());
      expect(grants.map(expiryAtMs)).toEqual([farMs + 10, farMs + 20, farMs + 30, null, null]);
    });

    it('numbers events without a gap in the order of the commits, on however many connections', async () => {
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
        // A writer that has its own number sees every smaller one.
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

    it('undoes everything when a transaction fails', async () => {
      const requester = await newSubject(store);
      const kept = sampleGrant(requester);
      const lost = sampleGrant(requester);
      must(await store.write((rows) => rows.insertGrant(kept)));
      const failing = await store.write(async (rows) => {
        await rows.insertGrant(lost);
        await rows.replaceGrant({ ...kept, version: 2, state: 'denied' });
        await rows.insertGrant(kept); // exists already
      });
      expect(failing.ok).toBe(false);
      expect(must(await store.read((rows) => rows.grant(lost.id)))).toBeUndefined();
      expect(must(await store.read((rows) => rows.grant(kept.id)))?.state).toBe('pending');
    });

    it('spends a sign-in link once, while it is live, however many try', async () => {
      const owner = await newSubject(store, { role: 'approver', publicKey: null });
      must(await store.write((rows) => rows.insertOwnerLink(credential(owner.id, `link-${owner.id}`, NOW_MS + 10))));
      const spend = (index: number, nowMs: number) =>
        connection(index).write((rows) => rows.spendOwnerLink(`link-${owner.id}`, nowMs));
      expect(must(await spend(0, NOW_MS + 10)).value).toBeUndefined();
      expect(must(await store.read((rows) => rows.ownerLinkIsLive(`link-${owner.id}`, NOW_MS)))).toBe(true);
      const spent = await Promise.all([0, 1, 2, 3, 4, 5].map((index) => spend(index, NOW_MS)));
      expect(spent.map((one) => must(one).value).filter((subjectId) => subjectId !== undefined)).toEqual([owner.id]);
      expect(must(await store.read((rows) => rows.ownerLinkIsLive(`link-${owner.id}`, NOW_MS)))).toBe(false);
    });

    it('spends a challenge once, however many try', async () => {
      const hash = `challenge-${Math.random()}`;
      const spent = await Promise.all(
        [0, 1, 2, 3, 4, 5].map((index) => connection(index).write((rows) => rows.spendChallenge(hash, NOW_MS + 10))),
      );
      expect(spent.filter((one) => must(one).value)).toHaveLength(1);
    });

    it('knows the holder of a token or session only while it is live and its subject not revoked', async () => {
      const owner = await newSubject(store, { role: 'approver', publicKey: null });
      const revoked = await newSubject(store, { revokedAtMs: NOW_MS - 1 });
      const hash = (kind: string, subject: { id: string }) => `${kind}-${subject.id}`;
      must(
        await store.write(async (rows) => {
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
        must(await store.read((rows) => tokenHolder(rows, hash('token', subject), nowMs)));
      const session = async (subject: { id: string }, nowMs: number) =>
        must(await store.read((rows) => rows.sessionHolder(hash('session', subject), nowMs)));
      expect(await token(owner, NOW_MS + 9)).toEqual({ subject: owner, expiresAtMs: NOW_MS + 10 });
      expect(await session(owner, NOW_MS + 9)).toMatchObject({
        subject: owner,
        session: { browser: 'Firefox on Linux' },
      });
      expect(await token(owner, NOW_MS + 10)).toBeUndefined();
      expect(await session(owner, NOW_MS + 10)).toBeUndefined();
      expect(await token(revoked, NOW_MS)).toBeUndefined();
      expect(await session(revoked, NOW_MS)).toBeUndefined();
      must(await store.write((rows) => rows.touchSession(hash('session', owner), NOW_MS + 9, NOW_MS + 50)));
      const slid = await session(owner, NOW_MS + 10);
      expect([slid?.session.lastSeenAtMs, slid?.session.expiresAtMs]).toEqual([NOW_MS + 9, NOW_MS + 50]);
      must(await store.write((rows) => rows.endSession(hash('session', owner))));
      expect(await session(owner, NOW_MS + 10)).toBeUndefined();
    });

    it('lists the live sign-ins of a person, the last used first, and ends all but one', async () => {
      const [owner, other] = [await newSubject(store, { role: 'approver', publicKey: null }), await newSubject(store)];
      const signIn = (subject: { id: string }, name: string, lastSeenAtMs: number, endMs = NOW_MS + 10) =>
        store.write((rows) =>
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
        must(await store.read((rows) => rows.sessionsOf(subject.id, NOW_MS))).map(({ hash }) => hash.split('-')[0]);
      expect(await names(owner)).toEqual(['new', 'old']);
      const ended = must(await store.write((rows) => rows.endSessionsOf(owner.id, `new-${owner.id}`))).value;
      expect([ended, await names(owner), await names(other)]).toEqual([2, ['new'], ['others']]);
      expect(must(await store.write((rows) => rows.endSessionsOf(owner.id, null))).value).toBe(1);
      expect(await names(owner)).toEqual([]);
    });

    it('keeps a call with an idempotency key, only for its caller, until it is removed or old', async () => {
      const [one, other] = [await newSubject(store), await newSubject(store)];
      const call = { keyHash: 'k', callDigest: 'd', startedAtMs: NOW_MS, status: null, answer: null };
      const calls = (subject: { id: string }) =>
        store.write((rows) => rows.idempotency.countIdempotentCalls(subject.id)).then((count) => must(count).value);
      const known = () =>
        store.write((rows) => rows.idempotency.idempotentCall(one.id, 'k')).then((found) => must(found).value);
      for (const { id } of [one, other])
        must(await store.write((rows) => rows.idempotency.insertIdempotentCall({ ...call, subjectId: id })));
      const twice = await store.write((rows) => rows.idempotency.insertIdempotentCall({ ...call, subjectId: one.id }));
      expect([twice.ok, await known()]).toEqual([false, { ...call, subjectId: one.id }]);
      const ended = { ...call, subjectId: one.id, status: 202, answer: '{"ü":1}' };
      must(await store.write((rows) => rows.idempotency.endIdempotentCall(ended)));
      expect(await known()).toEqual(ended);
      must(await store.write((rows) => rows.idempotency.removeIdempotentCall(ended)));
      expect([await known(), await calls(one), await calls(other)]).toEqual([undefined, 0, 1]);
      must(await store.write((rows) => rows.idempotency.pruneIdempotentCalls(NOW_MS)));
      expect(await calls(other)).toBe(1);
      must(await store.write((rows) => rows.idempotency.pruneIdempotentCalls(NOW_MS + 1)));
      expect(await calls(other)).toBe(0);
    });

    it('decides an enrolment once', async () => {
      const requester = await newSubject(store);
      const enrolment: Enrolment = {
        id: `e_${requester.id}`,
        state: 'pending',
        name: 'n',
        host: 'h',
        user: 'u',
        publicKey: 'k',
        code: 'ABCDEFGH',
        createdAtMs: NOW_MS,
        expiresAtMs: NOW_MS + 10,
        decidedAtMs: null,
        decidedBy: null,
        requesterId: null,
      };
      must(await store.write((rows) => rows.insertEnrolment(enrolment)));
      const waiting = async (nowMs: number) => must(await store.read((rows) => rows.pendingEnrolments(nowMs)));
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
      const subject = await newSubject(store);
      const hash = `revoked-${subject.id}`;
      must(await store.write((rows) => rows.insertToken(credential(subject.id, hash, NOW_MS + 10))));
      const revoke = () => store.write((rows) => rows.revokeSubject(subject.id, NOW_MS));
      expect([must(await revoke()).value, must(await revoke()).value]).toEqual([true, false]);
      expect(must(await connection(1).read((rows) => tokenHolder(rows, hash, NOW_MS)))).toBeUndefined();
      expect(must(await store.read((rows) => rows.subject(subject.id)))?.revokedAtMs).toBe(NOW_MS);
    });

    it('keeps what the host demands and says about its pin, until a later version takes it back', async () => {
      const says = { sealedOnly: true, pin: 'system', batches: true } as const;
      const demanding = { ...sampleGrant(await newSubject(store)), ...says };
      must(await store.write((rows) => rows.insertGrant(demanding)));
      expect(must(await connection(1).read((rows) => rows.grant(demanding.id)))).toEqual(demanding);
      const filter = { requesterId: demanding.requesterId, limit: 1, nowMs: NOW_MS };
      expect(must(await store.read((rows) => rows.grants(filter)))[0]).toMatchObject(says);
      const { sealedOnly: _, pin: __, batches: ___, ...free } = { ...demanding, version: demanding.version + 1 };
      expect(must(await store.write((rows) => rows.replaceGrant(free))).value).toBe(true);
      expect(must(await connection(1).read((rows) => rows.grant(free.id)))).toEqual(free);
    });

    it('keeps approvals by several people, and finds what the key of each of them sealed', async () => {
      const [first, second] = ['k_one', 'k_two'] as const;
      const sealedBy = (keyId: string) => {
        const seal = { kind: 'ed25519' as const, keyId, signature: 'x' };
        return { document: { typ: 'ape-decision/1' } as never, seal };
      };
      const given = [{ by: 's_ada', name: 'Ada', atMs: 1, sealed: sealedBy(first) }];
      const decision = { term: { kind: 'once' as const }, scope: null, confinement: null };
      const pending = { ...sampleGrant(await newSubject(store)), approvals: { needed: 2, ...decision, given } };
      must(await store.write((rows) => rows.insertGrant(pending)));
      expect(must(await connection(1).read((rows) => rows.grant(pending.id)))).toEqual(pending);
      const sealed = { ...sealedBy(second), also: [sealedBy(first)] };
      const done = { ...pending, version: pending.version + 1, state: 'approved' as const, ...decision, sealed };
      const replaced = await Promise.all([0, 1].map((at) => connection(at).write((rows) => rows.replaceGrant(done))));
      expect(replaced.filter((one) => must(one).value)).toHaveLength(1);
      const listed = must(
        await store.read((rows) => rows.grants({ requesterId: pending.requesterId, limit: 1, nowMs: NOW_MS })),
      );
      expect(listed[0]?.approvals).toEqual(pending.approvals);
      for (const keyId of [first, second])
        expect(must(await store.read((rows) => rows.approvedBySeal(keyId))).grants).toEqual([done]);
      expect(must(await store.read((rows) => rows.approvedBySeal('k_other'))).grants).toEqual([]);
    });

    it('makes an approver an auditor and back, wherever the subject is read, and no other subject', async () => {
      const person = await newSubject(store, { role: 'approver', publicKey: null });
      const code = await newSubject(store, { role: 'break-glass' });
      const requester = await newSubject(store);
      const hash = `audits-${person.id}`;
      must(await store.write((rows) => rows.insertToken(credential(person.id, hash, NOW_MS + 10))));
      const become = async (id: string, role: 'approver' | 'auditor') =>
        must(await store.write((rows) => rows.changeRole(id, role))).value;
      const seen = async () => {
        const bySubject = must(await connection(1).read((rows) => rows.subject(person.id)));
        const byToken = must(await connection(1).read((rows) => tokenHolder(rows, hash, NOW_MS)));
        const notified = must(await store.read((rows) => rows.notifications.approvers()));
        const listed = must(await store.read((rows) => rows.passkeys.approvers()));
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
      must(await store.write((rows) => rows.revokeSubject(person.id, NOW_MS)));
      expect(await become(person.id, 'auditor')).toBe(false);
      expect(must(await store.read((rows) => rows.subject(code.id)))?.role).toBe('break-glass');
    });

    it('removes tokens that have ended, and no others', async () => {
      const owner = await newSubject(store, { role: 'approver', publicKey: null });
      must(
        await store.write(async (rows) => {
          await rows.insertToken(credential(owner.id, `old-${owner.id}`, NOW_MS - 10));
          await rows.insertToken(credential(owner.id, `new-${owner.id}`, NOW_MS + 10));
          await rows.prune(NOW_MS);
        }),
      );
      const holder = async (hash: string) => must(await store.read((rows) => tokenHolder(rows, hash, NOW_MS - 20)));
      expect(await holder(`old-${owner.id}`)).toBeUndefined();
      expect(await holder(`new-${owner.id}`)).toBeDefined();
    });

    it('keeps what a host found beside the grant, and gives the last requests that came with findings', async () => {
      const requester = await newSubject(store);
      const plain = sampleGrant(requester);
      const grants = [1, 2, 3].map((at) => sampleGrant(requester, { createdAtMs: NOW_MS + at, touches: [TOUCHED] }));
      must(
        await store.write(async (rows) => {
          await rows.insertGrant(plain, null);
          for (const grant of grants) await rows.insertGrant(grant, { ...FINDINGS, home: `/home/${grant.id}` });
        }),
      );
      const [, , newest] = grants;
      const read = connection(1);
      expect(must(await read.read((rows) => rows.findings(plain.id)))).toBeNull();
      expect(must(await read.read((rows) => rows.findings(newest?.id ?? '')))).toEqual({
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

    it('keeps policies, counts their uses while they live, and ends each once', async () => {
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

    it('tells what may have changed standing grants, on every connection, and what a grant was used for', async () => {
      const requester = await newSubject(store);
      const after = must(await store.read((rows) => rows.lastSeq()));
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
        await store.write(async (rows) => {
          await rows.insertGrant(grant);
          for (const [at, kind] of kinds.entries()) rows.record(grantEvent(kind, grant, requester.id, NOW_MS + at));
        }),
      );
      const changes = must(await connection(1).read((rows) => rows.standingChanges(after)));
      expect(changes.filter(({ grantId }) => grantId === grant.id).map(({ kind }) => kind)).toEqual([
        'grant.approved',
        'policy.created',
      ]);
      expect(must(await connection(2).read((rows) => rows.standingChanges(changes.at(-1)?.seq ?? 0)))).toEqual([]);
      const used = must(await connection(2).read((rows) => rows.eventsOf(grant.id, 'grant.used', 1)));
      expect(used.map(({ atMs }) => atMs)).toEqual([NOW_MS + 4]);
    });

    it('counts how often each request was repeated, up to a limit', async () => {
      const requester = await newSubject(store);
      const [repeated, single] = [sampleGrant(requester), sampleGrant(requester)];
      must(
        await store.write(async (rows) => {
          for (const grant of [repeated, single]) {
            await rows.insertGrant(grant);
            rows.record(grantEvent('grant.requested', grant, requester.id, NOW_MS));
          }
          for (let at = 1; at <= 3; at++)
            rows.record(grantEvent('grant.repeated', repeated, requester.id, NOW_MS + at));
        }),
      );
      const counted = (most: number) =>
        connection(1).read((rows) => rows.repeats([single.id, repeated.id, 'g_missing'], most));
      expect([...must(await counted(9))]).toEqual([[repeated.id, 3]]);
      expect([...must(await counted(2))]).toEqual([[repeated.id, 2]]);
      expect(must(await store.read((rows) => rows.repeats([], 9))).size).toBe(0);
    });

    it('locks held grants for every other writer until the transaction ends', async () => {
      const requester = await newSubject(store);
      const grants = [approved(requester, { kind: 'always' }), approved(requester, { kind: 'always' })];
      must(
        await store.write(async (rows) => {
          for (const grant of grants) await rows.insertGrant(grant);
        }),
      );
      const [first, second] = grants.map(({ id }) => id).toSorted();
      const useBoth = (at: number) =>
        connection(at).write(async (rows) => {
          const held = await rows.holdGrants([second ?? '', first ?? '', 'g_none']);
          expect(held.map(({ id }) => id)).toEqual([first, second]);
          await new Promise((resolve) => setTimeout(resolve, 3));
          for (const grant of held) {
            const used = transition(grant, { kind: 'use' }, NOW_MS);
            expect(used.ok && (await rows.replaceGrant(used.value))).toBe(true);
          }
        });
      const outcomes = await Promise.all(Array.from({ length: 9 }, (_, at) => useBoth(at)));
      expect(outcomes.map((one) => one.ok)).toEqual(Array(9).fill(true));
      for (const { id } of grants) expect(must(await store.read((rows) => rows.grant(id)))?.uses).toBe(9);
    });

    it('lists all requesters, and no other subject', async () => {
      const requester = await newSubject(store, { name: 'zz last' });
      const listed = must(await connection(1).read((rows) => rows.requesters()));
      expect(listed.at(-1)).toEqual(requester);
      expect(listed.every(({ role }) => role === 'requester')).toBe(true);
    });

    it('enrols a public key once', async () => {
      const subject = await newSubject(store);
      const again = await store.write((rows) => rows.insertSubject({ ...subject, id: `${subject.id}x` }));
      expect(again.ok).toBe(false);
      expect(must(await store.read((rows) => rows.subjectByPublicKey(subject.publicKey ?? '')))).toEqual(subject);
      expect(must(await store.read((rows) => rows.subject(subject.id)))).toEqual(subject);
    });
  });
}
