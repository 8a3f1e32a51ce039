/**
 * Makes a page of the history, the newest entries first. An entry is a request, or a line that ran without a request, or a line that was
 * refused without a request.
 */
import type { StoreReader } from '../../store/store.ts';
import type { HistorySearch } from '../../web/pages/history-page.ts';
import type { ServerParts } from '../server-ports.ts';
import { startOf } from './history-matcher.ts';
import { type HistoryEntry, placeInHistory, placeText } from './history-place.ts';
import { FIRST_ROWS, SearchWork } from './search-pace.ts';
import { grantList, type ListPiece, type ReadPiece, useList } from './searched-lists.ts';

const MAX_ENTRIES = 50;
/** The search for one page stops after this time of work. The page then says how far back it has searched; a click continues the search. */
const MAX_WORK_MS = 500;

interface Hit<At> {
  readonly entry: HistoryEntry;
  readonly at: At;
  /** The place after which the piece with this hit begins (`ReadPiece`); null: the piece begins at the newest row. */
  readonly from: At | null;
}

class SearchedList<At extends { readonly atMs: number }> {
  readonly #read: ReadPiece<At>;
  #place: At | null;
  #hits: readonly Hit<At>[] = [];
  #rows = FIRST_ROWS;
  isEnded = false;

  constructor(read: ReadPiece<At>, place: At | null) {
    this.#read = read;
    this.#place = place;
  }

  /** How far back the list is read (Unix ms): `-Infinity` if the search has read all needed rows, `Infinity` if no row is read yet. */
  get reachedMs(): number {
    if (this.isEnded) return Number.NEGATIVE_INFINITY;
    return this.#place?.atMs ?? Number.POSITIVE_INFINITY;
  }

  /** Returns the found entries that are not older than `atMs`. */
  since(atMs: number): readonly HistoryEntry[] {
    return this.#hits.map(({ entry }) => entry).filter((entry) => entry.atMs >= atMs);
  }

  async readOn(work: SearchWork, most: number, fromMs: number): Promise<void> {
    const from = this.#place;
    const beganMs = work.tookMs;
    const { hits, last, isEnd }: ListPiece<At> = await this.#read(from, this.#rows, most);
    this.#rows = work.pace.nextRows(this.#rows, work.tookMs - beganMs);
    this.#hits = [...this.#hits, ...hits.map((hit) => ({ ...hit, from }))];
    this.#place = last;
    this.isEnded = isEnd || (last !== null && last.atMs < fromMs);
  }

  /** Returns the place after which the next page begins. The next page has the hits that this page does not show. */
  placeAfter(shown: ReadonlySet<HistoryEntry>): At | null {
    const left = this.#hits.find(({ entry }) => !shown.has(entry));
    if (left === undefined) return this.#place;
    const last = this.#hits.findLast(({ entry, from }) => shown.has(entry) && from === left.from);
    return last === undefined ? left.from : last.at;
  }
}

/**
 * @property older          the value of `before` for the next page; null: this is the last page
 * @property lookedBackToMs how far back the search has read (Unix ms), if `MAX_WORK_MS` ended the page; else null
 */
export interface HistoryPart {
  readonly entries: readonly HistoryEntry[];
  readonly older: string | null;
  readonly lookedBackToMs: number | null;
}

/**
 * A search for a state finds requests, but no other entries.
 * @param before where the page begins: the value `older` of the previous page. If absent or malformed, the page begins at the newest entry
 */
export async function historyPart(
  parts: ServerParts,
  rows: StoreReader,
  before: string | undefined,
  search: HistorySearch,
): Promise<HistoryPart> {
  const work = new SearchWork(parts.searches.pace);
  const source = { parts, rows, search, work };
  const place = placeInHistory(before);
  const grants = new SearchedList(grantList(source), place.grant);
  const uses = search.state === null ? new SearchedList(await useList(source), place.use) : null;
  const lists = uses === null ? [grants] : [grants, uses];
  const fromMs = startOf(search);
  for (;;) {
    // Before an entry is shown, all lists must be read back to the time of the entry. So the list with the latest `reachedMs` is read next.
    const next = lists.reduce((one, other) => (other.reachedMs > one.reachedMs ? other : one));
    const found = lists.flatMap((list) => list.since(next.reachedMs)).sort((left, right) => right.atMs - left.atMs);
    const isTimeUp = work.tookMs >= MAX_WORK_MS;
    if (found.length <= MAX_ENTRIES && !next.isEnded && !isTimeUp) {
      await next.readOn(work, MAX_ENTRIES + 1, fromMs);
      continue;
    }
    const entries = found.slice(0, MAX_ENTRIES);
    if (next.isEnded && found.length === entries.length) return { entries, older: null, lookedBackToMs: null };
    const shown = new Set(entries);
    const older = placeText({ grant: grants.placeAfter(shown), use: uses?.placeAfter(shown) ?? place.use });
    return { entries, older, lookedBackToMs: found.length > MAX_ENTRIES ? null : finite(next.reachedMs) };
  }
}

const finite = (value: number): number | null => (Number.isFinite(value) ? value : null);
