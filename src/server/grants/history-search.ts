/**
 * Makes a page of the history, the newest entries first: requests, and lines that ran or were refused without a request. It has all
 * entries, or those that a search finds.
 */
import { GRANT_STATES } from '../../core/grant/grant.ts';
import type { GrantView } from '../../core/wire/grant-view.ts';
import type { StoreReader } from '../../store/store.ts';
import type { PastUse } from '../../web/cards/use-row.ts';
import type { HistorySearch } from '../../web/pages/history-page.ts';
import type { ServerParts } from '../server-ports.ts';
import { beginsId } from './begins-id.ts';
import { grantView } from './grant-view.ts';
import { addressAfter, grantsBefore, placeInHistory, usesBefore } from './history-place.ts';
import { pastUses } from './past-uses.ts';

const ROWS = 50;
/** The rows that a search reads at once. */
const SEARCHED_AT_ONCE = 200;
/** After this number of reads the page shows what it found, and a click continues. So a page is fast for any length of the history. */
const MAX_BATCHES = 10;

type HistoryEntry =
  | {
      readonly kind: 'grant';
      readonly atMs: number;
      readonly at: { readonly grant: GrantView };
      readonly grant: GrantView;
    }
  | { readonly kind: 'use'; readonly atMs: number; readonly at: { readonly use: PlacedUse }; readonly use: PlacedUse };
type PlacedUse = PastUse & { readonly seq: number };

/** @property lookedBackToMs how far back a search has read (Unix ms); null: to the end, or it is not a search */
export interface HistoryPart {
  readonly entries: readonly HistoryEntry[];
  readonly older: string | null;
  readonly lookedBackToMs: number | null;
}

/** A field that is missing or has no valid value restricts nothing. */
export function historySearch(query: Readonly<Record<string, unknown>>): HistorySearch {
  const text = (name: string) => (typeof query[name] === 'string' ? query[name].trim().slice(0, 200) : '');
  const state = GRANT_STATES.find((known) => known === text('state')) ?? null;
  return {
    text: text('text'),
    requesterId: text('requester'),
    host: text('host'),
    state,
    from: dayOf(text('from')),
    until: dayOf(text('until')),
  };
}

const dayOf = (text: string): string => (/^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)) ? text : '');

const isSearch = (search: HistorySearch): boolean =>
  Object.values(search).some((value) => value !== '' && value !== null);

export async function historyPart(
  parts: ServerParts,
  rows: StoreReader,
  before: string | undefined,
  search: HistorySearch,
): Promise<HistoryPart> {
  const isSearched = isSearch(search);
  const atOnce = isSearched ? SEARCHED_AT_ONCE : ROWS;
  const fits = matcherOf(search);
  const found: HistoryEntry[] = [];
  let address = before;
  for (let round = 0; round < (isSearched ? MAX_BATCHES : 1); round += 1) {
    const entries = await entriesAfter(parts, rows, address, atOnce, search);
    const place = placeInHistory(address);
    for (const [index, entry] of entries.entries()) {
      if (isSearched && entry.atMs < startOf(search)) return { entries: found, older: null, lookedBackToMs: null };
      if (fits(entry)) found.push(entry);
      if (found.length < ROWS) continue;
      const shown = entries.slice(0, index + 1).map(({ at }) => at);
      return { entries: found, older: addressAfter(place, shown), lookedBackToMs: null };
    }
    if (entries.length < atOnce) return { entries: found, older: null, lookedBackToMs: null };
    address = addressAfter(
      place,
      entries.map(({ at }) => at),
    );
    const lookedBackToMs = entries.at(-1)?.atMs ?? null;
    if (round === MAX_BATCHES - 1) return { entries: found, older: address, lookedBackToMs };
  }
  return { entries: found, older: address ?? null, lookedBackToMs: null };
}

/** Reads the newest entries of both lists together, at most `most`. */
async function entriesAfter(
  parts: ServerParts,
  rows: StoreReader,
  address: string | undefined,
  most: number,
  search: HistorySearch,
): Promise<readonly HistoryEntry[]> {
  const { requesterId, state } = search;
  const before = search.until === '' ? {} : { beforeMs: endOf(search) };
  const nowMs = parts.clock.nowMs();
  const place = placeInHistory(address);
  const grants = await rows.grants({
    ...(place.grant === null ? before : grantsBefore(place)),
    ...(requesterId === '' ? {} : { requesterId }),
    ...(state === null ? {} : { states: [state] }),
    limit: most,
    nowMs,
  });
  const uses =
    state === null ? await pastUses(rows, { ...(place.use === null ? before : usesBefore(place)), limit: most }) : [];
  const entries: HistoryEntry[] = [
    ...grants
      .map((grant) => grantView(grant, nowMs, parts.publicUrl()))
      .map((grant) => ({ kind: 'grant' as const, atMs: grant.createdAtMs, at: { grant }, grant })),
    ...uses.map((use) => ({ kind: 'use' as const, atMs: use.atMs, at: { use }, use })),
  ];
  return entries.sort((left, right) => right.atMs - left.atMs).slice(0, most);
}

const DAY_MS = 86_400_000;
const startOf = ({ from }: HistorySearch): number => (from === '' ? Number.NEGATIVE_INFINITY : Date.parse(from));
const endOf = ({ until }: HistorySearch): number =>
  until === '' ? Number.POSITIVE_INFINITY : Date.parse(until) + DAY_MS;

function matcherOf(search: HistorySearch): (entry: HistoryEntry) => boolean {
  const text = search.text.toLowerCase();
  const host = search.host.toLowerCase();
  const from = startOf(search);
  const until = endOf(search);
  return (entry) => {
    if (entry.atMs < from || entry.atMs >= until) return false;
    const facts = entry.kind === 'grant' ? factsOfGrant(entry.grant) : factsOfUse(entry.use);
    if (search.requesterId !== '' && facts.requesterId !== search.requesterId) return false;
    if (host !== '' && !facts.host.toLowerCase().includes(host)) return false;
    if (text === '' || (entry.kind === 'grant' && beginsId(text, entry.grant.id))) return true;
    return facts.texts.some((field) => field.toLowerCase().includes(text));
  };
}

interface Facts {
  readonly requesterId: string | null;
  readonly host: string;
  readonly texts: readonly string[];
}

function factsOfGrant({ request, requesterId, reason, denyReason }: GrantView): Facts {
  const files = (request.files ?? []).map(({ verb, path }) => `${verb} ${path}`);
  const texts = [request.text, request.cwd, reason ?? '', denyReason ?? '', ...files];
  return { requesterId, host: request.host, texts };
}

const factsOfUse = ({ requesterId, host, line, by }: PastUse): Facts => ({
  requesterId,
  host,
  texts: [line, ...by.map(({ title }) => title)],
});
