/** What every store promises about a search of the history. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { grantEvent, plainEvent } from '../../src/core/grant/audit-event.ts';
import type { Grant } from '../../src/core/grant/grant.ts';
import { certainParts, foldCase } from '../../src/core/text/searched-text.ts';
import { MAX_FETCHED } from '../../src/store/history-rows.ts';
import type { Store, StoreReader, Subject } from '../../src/store/store.ts';
import { approved, COMMAND_SCOPE, must, NOW_MS, newSubject, sampleGrant } from './store-samples.ts';
import type { OpenStores } from './store-suite.ts';

/** Later than the rows of the other suites, which use the same database. */
const LATER_MS = NOW_MS + 5_000_000;
const ANY = { texts: [[]], hostParts: [] };

export function describeHistory(name: string, open: () => Promise<OpenStores>): void {
  describe(`a search of the history in a ${name} store`, () => {
    let opened: OpenStores;
    let store: Store;
    let here: Subject;
    let there: Subject;
    beforeAll(async () => {
      opened = await open();
      store = opened.stores[0];
      here = await newSubject(store, { host: 'box' });
      there = await newSubject(store, { host: 'At_tic' });
    });
    afterAll(() => opened.close());

    const read = async <T>(work: (rows: StoreReader) => Promise<T>): Promise<T> => must(await store.read(work));
    const insert = async (...grants: readonly Grant[]) =>
      must(
        await store.write(async (rows) => {
          for (const grant of grants) await rows.insertGrant(grant);
        }),
      );
    const asked = (by: Subject, text: string, more: Partial<Grant> = {}): Grant => {
      const grant = sampleGrant(by, { createdAtMs: LATER_MS, ...more });
      return { ...grant, request: { ...grant.request, text } };
    };
    const found = async (
      search: Partial<Parameters<StoreReader['history']['seeGrants']>[1]>,
      among: readonly Grant[],
    ) => {
      const filter = { beforeMs: LATER_MS + 10, limit: 5_000, nowMs: NOW_MS };
      const seen = await read((rows) => rows.history.seeGrants(filter, { ...ANY, idPrefix: null, ...search }));
      const ids = new Set(seen.filter(({ mayMatch }) => mayMatch).map(({ id }) => id));
      return among.flatMap(({ id }, index) => (ids.has(id) ? [index] : []));
    };

    it('finds grants by parts of their texts, ignoring the case of ASCII letters, and no other grants', async () => {
      const grants = [
        asked(here, 'GIT status'),
        asked(here, 'ls', { reason: 'zebra Stripes' }),
        asked(here, 'ls', { state: 'denied', denyReason: 'too wide: zebra' }),
        asked(there, 'printf "100%_!"'),
        asked(there, 'cat 検索'),
      ] as const;
      await insert(...grants);
      const texts = (...parts: readonly string[]) => found({ texts: [parts] }, grants);
      expect(await texts()).toEqual([0, 1, 2, 3, 4]);
      expect(await texts('git', 'STATUS')).toEqual([0]);
      expect(await texts('git', 'zebra')).toEqual([]);
      expect(await texts('zebra')).toEqual([1, 2]);
      expect(await texts('stripes', 'ZEBRA')).toEqual([1]);
      expect(await texts('100%_!')).toEqual([3]);
      expect(await texts('100_')).toEqual([]);
      expect(await texts('1%0')).toEqual([]);
      expect(await texts('索')).toEqual([4]);
      expect(await found({ texts: [['git'], ['索']] }, grants)).toEqual([0, 4]);
      expect(await found({ hostParts: ['t_T', 'ic'] }, grants)).toEqual([3, 4]);
      expect(await found({ hostParts: ['x_'] }, grants)).toEqual([]);
      expect(await found({ hostParts: ['box'], texts: [['ls']] }, grants)).toEqual([1, 2]);
      expect(await found({ texts: [['nowhere']], idPrefix: grants[3].id.slice(0, 9) }, grants)).toEqual([3]);
    });

    it('returns the position of each row that it has read, the newest first, and continues after a given position', async () => {
      const grants = [3, 1, 2].map((ms) => asked(here, `placed ${ms}`, { createdAtMs: LATER_MS + 1_000 + ms }));
      await insert(...grants);
      const search = { ...ANY, texts: [['placed 2']], idPrefix: null };
      const see = (beforeMs: number, limit: number) =>
        read((rows) =>
          rows.history.seeGrants({ beforeMs, beforeId: '', requesterId: here.id, limit, nowMs: NOW_MS }, search),
        );
      expect(await see(LATER_MS + 2_000, 2)).toEqual([
        { id: grants[0]?.id, atMs: LATER_MS + 1_003, mayMatch: false },
        { id: grants[2]?.id, atMs: LATER_MS + 1_002, mayMatch: true },
      ]);
      expect((await see(LATER_MS + 1_002, 2)).map(({ atMs }) => atMs - LATER_MS)).toEqual([1_002, 1_001]);
    });

    it('finds every grant that contains the text, whatever letters it has', async () => {
      const text = fc.string({ unit: fc.constantFrom(...'aAkKiI\u0130\u212aςΣσ"\\ \n\té検%_!ß'), maxLength: 6 });
      const rounds: [Grant, string][] = [];
      fc.assert(
        fc.property(text, text, text, fc.boolean(), (before, wanted, after, isReason) => {
          const field = `${before}${wanted}${after}`;
          const grant = isReason ? asked(here, 'x', { reason: field }) : asked(here, field);
          rounds.push([{ ...grant, createdAtMs: LATER_MS + 9 }, wanted]);
        }),
        { numRuns: 150 },
      );
      const grants = rounds.map(([grant]) => grant);
      await insert(...grants);
      for (const [index, [{ request, reason }, wanted]] of rounds.entries()) {
        expect([request.text, reason].some((each) => foldCase(each ?? '').includes(foldCase(wanted)))).toBe(true);
        expect([wanted, await found({ texts: [certainParts(wanted)] }, grants)]).toEqual([
          wanted,
          expect.arrayContaining([index]),
        ]);
      }
    });

    it('finds uses by their facts, requester and host; it names the grant also if only the facts do not match', async () => {
      const grant = approved(here, { kind: 'always' }, { scope: COMMAND_SCOPE });
      const plain = approved(here, { kind: 'always' });
      await insert(grant, plain);
      const events = [
        grantEvent('grant.used', grant, here.id, LATER_MS + 1, { line: 'Git status' }),
        grantEvent('grant.used', plain, there.id, LATER_MS + 2, { line: 'ls' }),
        plainEvent('policy.vetoed', here.id, LATER_MS + 3, { policyId: 'p_zebra', line: 'ls' }),
        plainEvent('requester.paused', here.id, LATER_MS + 4, { line: 'git' }),
      ];
      must(
        await store.write(async (rows) => {
          for (const event of events) rows.record(event);
        }),
      );
      const see = async (search: Partial<Parameters<StoreReader['history']['seeUses']>[1]>) => {
        const seen = await read((rows) =>
          rows.history.seeUses({ beforeMs: LATER_MS + 10, limit: 3 }, { ...ANY, requesterId: null, ...search }),
        );
        expect(seen.map(({ atMs }) => atMs - LATER_MS)).toEqual([3, 2, 1]);
        return {
          found: seen.flatMap(({ mayMatch, atMs }) => (mayMatch ? [atMs - LATER_MS] : [])),
          grants: seen.map(({ grantId }) => grantId),
          seqs: seen.map(({ seq }) => seq),
        };
      };
      expect(await see({})).toMatchObject({ found: [3, 2, 1], grants: [null, plain.id, grant.id] });
      expect(await see({ texts: [['git', 'STATUS']] })).toMatchObject({ found: [1] });
      expect(await see({ texts: [['git'], ['p_zebra']] })).toMatchObject({ found: [3, 1] });
      expect(await see({ requesterId: there.id })).toMatchObject({ found: [2], grants: [null, plain.id, null] });
      expect(await see({ hostParts: ['BO'], texts: [['ls']] })).toMatchObject({
        found: [3],
        grants: [null, null, grant.id],
      });
      const older = { beforeMs: LATER_MS + 2, limit: 1 };
      const next = await read((rows) => rows.history.seeUses(older, { ...ANY, requesterId: null }));
      expect(next.map(({ atMs }) => atMs - LATER_MS)).toEqual([1]);
      const { seqs } = await see({});
      const [last = 0, , first = 0] = seqs;
      const two = await read((rows) => rows.history.usesBySeq([first, last]));
      expect(two.map(({ seq, facts }) => [seq, facts['line']])).toEqual([
        [last, 'ls'],
        [first, 'Git status'],
      ]);
      expect(await read((rows) => rows.history.usesBySeq([]))).toEqual([]);
      const scopes = await read((rows) => rows.history.scopesOf([grant.id, plain.id, 'g_none']));
      expect([...scopes]).toEqual([[grant.id, COMMAND_SCOPE]]);
      expect((await read((rows) => rows.history.scopesOf([]))).size).toBe(0);
    });

    it('returns grants in the order of their ids, at most as many as asked for', async () => {
      const grants = Array.from({ length: MAX_FETCHED }, (_, index) => asked(here, `listed ${index}`));
      await insert(...grants);
      const ids = grants.map(({ id }) => id).sort();
      expect((await read((rows) => rows.listed(['g_none', ...ids.slice(1)]))).map(({ id }) => id)).toEqual(
        ids.slice(1),
      );
    });
  });
}
