/** The pages of a search in the history: each entry is on exactly one page, even if a page runs out of time, and other work goes on. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { removeDirectory } from '../../scripts/remove-directory.mjs';
import { grantEvent } from '../../src/core/grant/audit-event.ts';
import type { Grant } from '../../src/core/grant/grant.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { type HistoryPart, historyPart } from '../../src/server/grants/history-part.ts';
import { historySearch } from '../../src/server/grants/history-search.ts';
import { SearchPace, SearchWork } from '../../src/server/grants/search-pace.ts';
import type { KeptTitles } from '../../src/server/grants/searched-lists.ts';
import type { ServerParts } from '../../src/server/server-ports.ts';
import { openStore } from '../../src/store/open-store.ts';
import type { Store, StoreReader, Subject } from '../../src/store/store.ts';
import { approved, must, NOW_MS, newSubject, sampleGrant } from '../contract/store-samples.ts';

/** A clock that advances 20 ms at each reading, so that every piece of work takes 20 ms. */
function slowClock() {
  let elapsedMs = 0;
  return {
    nowMs: () => NOW_MS,
    elapsedMs() {
      elapsedMs += 20;
      return elapsedMs;
    },
  };
}

const directory = mkdtempSync(join(tmpdir(), 'ape-history-'));
afterAll(() => removeDirectory(directory));
let files = 0;
async function newStore(): Promise<Store> {
  files += 1;
  return must(await openStore(join(directory, `${files}.db`)));
}

const partsOn = (clock: ServerParts['clock'], titles: KeptTitles = new Map()) =>
  ({
    clock,
    publicUrl: () => 'http://localhost',
    searches: { pace: new SearchPace(clock, true), titles },
  }) as ServerParts;

/** Follows the links to the last page. */
async function pagesOf(store: Store, clock: ServerParts['clock'], query: object): Promise<readonly HistoryPart[]> {
  const parts = partsOn(clock);
  const pages: HistoryPart[] = [];
  let before: string | undefined;
  do {
    const page = must(await store.read((rows) => historyPart(parts, rows, before, historySearch({ ...query }))));
    pages.push(page);
    expect(page.older).not.toBe(before ?? ''); // each page starts where the page before ended
    before = page.older ?? undefined;
  } while (before !== undefined);
  return pages;
}

const nameOf = (entry: HistoryPart['entries'][number]) =>
  entry.kind === 'grant' ? entry.grant.request.text : entry.use.line;

const asked = (by: Subject, text: string, createdAtMs: number): Grant => {
  const grant = sampleGrant(by, { state: 'denied', createdAtMs });
  return { ...grant, request: { ...grant.request, text } };
};

describe('a search that finds one of thousands', () => {
  let store: Store;
  beforeAll(async () => {
    store = await newStore();
    const by = await newSubject(store);
    const grant = approved(by, { kind: 'always' });
    must(
      await store.write(async (rows) => {
        await rows.insertGrant(asked(by, 'the zebra', NOW_MS - 9_000));
        for (let index = 0; index < 3_000; index += 1)
          await rows.insertGrant(asked(by, `filler ${index}`, NOW_MS - index));
        await rows.insertGrant(grant);
        for (let index = 3_000; index > 0; index -= 1)
          rows.record(
            grantEvent('grant.used', grant, by.id, NOW_MS - index, { line: `line ${index}`, fingerprint: `${index}` }),
          );
      }),
    );
  });
  afterAll(() => store.close());

  it('says how far it has looked when its time is up, and continues from there', async () => {
    const pages = await pagesOf(store, slowClock(), { text: 'ZEBRA' });
    expect(pages.length).toBeGreaterThan(2);
    expect(pages.flatMap(({ entries }) => entries.map(nameOf))).toEqual(['the zebra']);
    const looked = pages.map(({ lookedBackToMs }) => lookedBackToMs);
    expect(looked.at(-1)).toBe(null);
    const moments = looked.slice(0, -1).map(Number);
    expect(moments).toEqual(moments.toSorted((left, right) => right - left));
    expect(moments.every((atMs) => atMs < NOW_MS && atMs > NOW_MS - 9_000)).toBe(true);
  });

  it('is one page if its time is enough', async () => {
    expect((await pagesOf(store, systemClock, { text: 'ZEBRA' })).length).toBe(1);
  });

  it('pauses for as long as it works, counted over two searches together', async () => {
    const pace = new SearchPace(systemClock, true);
    let workedMs = 0;
    const search = async () => {
      const work = new SearchWork(pace);
      for (let piece = 0; piece < 10; piece += 1)
        await work.piece(async () => {
          const until = performance.now() + 5;
          while (performance.now() < until /* works */);
        });
      workedMs += work.tookMs;
    };
    const begin = performance.now();
    await Promise.all([search(), search()]);
    expect(workedMs).toBeGreaterThanOrEqual(100);
    expect(performance.now() - begin).toBeGreaterThan(1.8 * 100);
  });

  it('lets the server serve other calls between the pieces of a short search, but does not pause', async () => {
    let nowMs = 0;
    const work = new SearchWork(new SearchPace({ elapsedMs: () => nowMs }, false));
    let turns = 0;
    let isCounting = true;
    const count = () => {
      turns += 1;
      if (isCounting) setImmediate(count);
    };
    const piece = () =>
      work.piece(async () => {
        nowMs += 19; // a pause after this piece would take 19 ms, and so a few thousand turns of the event loop
      });
    await piece();
    setImmediate(count);
    await piece();
    await piece();
    isCounting = false;
    expect(turns).toBeGreaterThanOrEqual(1);
    expect(turns).toBeLessThan(20);
  });

  it('continues after a piece of work that failed', async () => {
    const pace = new SearchPace(systemClock, true);
    await expect(pace.piece(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect((await pace.piece(async () => 'yes')).value).toBe('yes');
  });
});

it('a search reads fewer rows after a long piece, more after a short one, and most from a database that works outside this process', () => {
  const here = new SearchPace(systemClock, true);
  expect(here.nextRows(100, 5)).toBe(100);
  expect(here.nextRows(100, 2.5)).toBe(200);
  expect(here.nextRows(100, 0)).toBe(400);
  expect(here.nextRows(400, 100)).toBe(50);
  expect(here.nextRows(4_000, 1)).toBe(5_000);
  expect(new SearchPace(systemClock, false).nextRows(1_000, 20)).toBe(2_000);
});

/** Returns a reader that calls `act` at the beginning of each read of scopes. */
function withReadOfScopes(rows: StoreReader, act: () => void): StoreReader {
  const { history } = rows;
  const scopesOf: typeof history.scopesOf = (ids) => {
    act();
    return history.scopesOf(ids);
  };
  return withMember(rows, 'history', withMember(history, 'scopesOf', scopesOf));
}

const withMember = <T extends object, Name extends keyof T>(object: T, name: Name, member: T[Name]): T =>
  new Proxy(object, {
    get(target, key) {
      const value: unknown = key === name ? member : Reflect.get(target, key, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });

it('a search finds a use by the title of its grant, even if another search empties the kept titles meanwhile', async () => {
  const store = await newStore();
  const by = await newSubject(store);
  const scoped = (pathPrefix: string) =>
    approved(by, { kind: 'always' }, { scope: { operations: ['read'], pathPrefix } });
  const grants = [scoped('/zebra'), scoped('/horse')];
  must(
    await store.write(async (rows) => {
      for (const grant of grants) await rows.insertGrant(grant);
      for (const grant of grants)
        rows.record(
          grantEvent('grant.used', grant, by.id, NOW_MS, { line: `line of ${grant.id}`, fingerprint: grant.id }),
        );
    }),
  );
  const titles: KeptTitles = new Map();
  const parts = partsOn(systemClock, titles);
  const search = async (act: () => void) =>
    must(
      await store.read((rows) =>
        historyPart(parts, withReadOfScopes(rows, act), undefined, historySearch({ text: 'zebra' })),
      ),
    ).entries.map(nameOf);
  const found = await search(() => undefined);
  expect(titles.size).toBe(2);
  titles.delete(grants[1]?.id ?? '');
  expect([found, await search(() => titles.clear())]).toEqual([
    [`line of ${grants[0]?.id}`],
    [`line of ${grants[0]?.id}`],
  ]);
  await store.close();
});

describe('every entry', () => {
  it('is on exactly one page, the newest first, whatever the two lists have and whenever the time is up', async () => {
    const anyRow = fc.record({
      isGrant: fc.boolean(),
      isHit: fc.integer({ min: 0, max: 9 }).map((roll) => roll < 4),
      afterMs: fc.constantFrom(0, 0, 1, 1, 5),
      isShared: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(anyRow, { minLength: 100, maxLength: 700, size: 'max' }), async (all) => {
        const store = await newStore();
        const by = await newSubject(store);
        const grants = [
          approved(by, { kind: 'always' }, { createdAtMs: 1 }),
          approved(by, { kind: 'always' }, { createdAtMs: 1 }),
        ];
        const wanted: string[] = [];
        let atMs = NOW_MS - 10_000;
        must(
          await store.write(async (rows) => {
            for (const grant of grants) await rows.insertGrant(grant);
            for (const [index, { isGrant, isHit, afterMs, isShared }] of all.entries()) {
              atMs += afterMs;
              const text = `${isHit ? 'zebra' : 'horse'} ${index}.`;
              if (isHit) wanted.push(`${atMs} ${text}`);
              if (isGrant) await rows.insertGrant(asked(by, text, atMs));
              else
                for (const grant of isShared ? grants : grants.slice(1))
                  rows.record(grantEvent('grant.used', grant, by.id, atMs, { line: text, fingerprint: text }));
            }
          }),
        );
        for (const clock of [systemClock, slowClock()]) {
          const entries = (await pagesOf(store, clock, { text: 'zebra' })).flatMap((page) => page.entries);
          expect(entries.map((entry) => `${entry.atMs} ${nameOf(entry)}`).sort()).toEqual(wanted.toSorted());
          const moments = entries.map((entry) => entry.atMs);
          expect(moments).toEqual(moments.toSorted((left, right) => right - left));
          for (const entry of entries)
            if (entry.kind === 'use')
              expect(entry.use.by).toHaveLength(all[Number(/\d+/.exec(entry.use.line))]?.isShared ? 2 : 1);
        }
        await store.close();
      }),
      { numRuns: 12 },
    );
  });
});
