/** Searches the two lists of the history: requests and uses. Reads each list piece by piece, the newest rows first. */

import { scopeTitle } from '../../core/scope/scope-title.ts';
import { certainParts, foldCase } from '../../core/text/searched-text.ts';
import { MAX_FETCHED, type RowSearch, type SeenUse } from '../../store/history-rows.ts';
import type { StoreReader } from '../../store/store.ts';
import type { HistorySearch } from '../../web/pages/history-page.ts';
import type { ServerParts } from '../server-ports.ts';
import { beginsId } from './begins-id.ts';
import { grantView } from './grant-view.ts';
import { endOf, historyMatcher } from './history-matcher.ts';
import { type GrantPlace, grantsBefore, type HistoryEntry, type UsePlace, usesBefore } from './history-place.ts';
import { pastUses, readingOnce } from './past-uses.ts';
import { policyTitle } from './policy-view.ts';
import type { SearchWork } from './search-pace.ts';

/**
 * A piece of a list.
 * @property hits the entries that the search found, in the order of the list
 * @property last how far this piece and the earlier pieces have read the list; null: no row was read
 * @property isEnd whether the list has no more rows
 */
export interface ListPiece<At> {
  readonly hits: readonly { readonly entry: HistoryEntry; readonly at: At }[];
  readonly last: At | null;
  readonly isEnd: boolean;
}

/** Reads at most `limit` rows. Starts behind the place `after`; null: at the newest row. Stops earlier after `most` or more hits. */
export type ReadPiece<At> = (after: At | null, limit: number, most: number) => Promise<ListPiece<At>>;

/** How many candidates are read in full at once. Only a candidate that is read in full shows whether it matches. */
const DECIDED_AT_ONCE = 60;
/** The facts of a use contain this text if the use is about a line that has no request of its own. */
const WITH_LINE = '"line":"';
/**
 * The database searches the uses for the ids of the policies whose titles have the wanted text. If there are more such policies than
 * this, all uses are read.
 */
const MAX_POLICIES = 8;
const MAX_READ_POLICIES = 1_000;
const MAX_KEPT_TITLES = 50_000;

/**
 * The titles of scopes by the id of the grant, with folded case for the search. The title is empty if the grant has no scope.
 */
export type KeptTitles = Map<string, string>;

export interface ListSource {
  readonly parts: ServerParts;
  readonly rows: StoreReader;
  readonly search: HistorySearch;
  readonly work: SearchWork;
}

const untilOf = (search: HistorySearch) => (search.until === '' ? {} : { beforeMs: endOf(search) });

/** Returns the function that reads the list of requests. */
export function grantList({ parts, rows, search, work }: ListSource): ReadPiece<GrantPlace> {
  const { requesterId, state } = search;
  const nowMs = parts.clock.nowMs();
  const text = foldCase(search.text);
  const { matchesGrant } = historyMatcher(search);
  const wanted = {
    texts: [certainParts(search.text)],
    hostParts: certainParts(search.host),
    idPrefix: beginsId(text, text) ? text : null,
  };
  const found = async (ids: readonly string[]) =>
    (await rows.listed(ids)).map((grant) => grantView(grant, nowMs, parts.publicUrl())).filter(matchesGrant);
  return async (after, limit, most) => {
    const filter = {
      ...(after === null ? untilOf(search) : grantsBefore(after)),
      ...(requesterId === '' ? {} : { requesterId }),
      ...(state === null ? {} : { states: [state] }),
      limit,
      nowMs,
    };
    const seen = await work.piece(() => rows.history.seeGrants(filter, wanted));
    const candidates = seen.filter(({ mayMatch }) => mayMatch);
    const hits: ListPiece<GrantPlace>['hits'][number][] = [];
    for (let at = 0; at < candidates.length; at += DECIDED_AT_ONCE) {
      const some = candidates.slice(at, at + DECIDED_AT_ONCE);
      for (const grant of await work.piece(() => found(some.map(({ id }) => id)))) {
        const { createdAtMs: atMs, id } = grant;
        hits.push({ entry: { kind: 'grant', atMs, grant }, at: { atMs, id } });
      }
      const last = some.at(-1);
      if (hits.length >= most && last !== undefined) return { hits, last, isEnd: false };
    }
    return { hits, last: seen.at(-1) ?? after, isEnd: seen.length < limit };
  };
}

/** Returns the function that reads the list of uses. A use is a line that ran or was refused, and that has no request of its own. */
export async function useList(source: ListSource): Promise<ReadPiece<UsePlace>> {
  const { rows, search, work } = source;
  const text = foldCase(search.text);
  const { matchesUse } = historyMatcher(search);
  const lookUp = readingOnce(rows);
  const wanted = {
    texts: await textsOfUses(source, text),
    hostParts: certainParts(search.host),
    requesterId: search.requesterId === '' ? null : search.requesterId,
  };
  const isNamed = ({ grantId }: SeenUse, titles: KeptTitles) =>
    grantId !== null && (beginsId(text, grantId) || titles.get(grantId)?.includes(text) === true);
  return async (after, limit, most) => {
    const filter = { ...(after === null ? untilOf(search) : usesBefore(after)), limit };
    const read = await work.piece(() => rows.history.seeUses(filter, wanted));
    const isEnd = read.length < limit;
    const seen = isEnd ? read : withoutLastMoment(read);
    const titles = text === '' ? new Map() : await titlesOf(source, seen);
    const moments = new Set(seen.filter((use) => use.mayMatch || isNamed(use, titles)).map(({ atMs }) => atMs));
    const candidates = seen.filter(({ atMs }) => moments.has(atMs));
    const hits: ListPiece<UsePlace>['hits'][number][] = [];
    for (const some of wholeMoments(candidates)) {
      const uses = await work.piece(async () => pastUses(lookUp, await eventsOf(rows, some)));
      for (const use of uses.filter(matchesUse))
        hits.push({ entry: { kind: 'use', atMs: use.atMs, use }, at: { atMs: use.atMs, seq: use.seq } });
      const last = some.at(-1);
      if (hits.length >= most && last !== undefined) return { hits, last, isEnd: false };
    }
    return { hits, last: seen.at(-1) ?? after, isEnd };
  };
}

/**
 * Leaves out the rows of the oldest millisecond. One entry can have several rows, all of one millisecond, and `seen` may end between
 * these rows. Keeps all rows if all rows are of this millisecond.
 */
function withoutLastMoment(seen: readonly SeenUse[]): readonly SeenUse[] {
  const lastMs = seen.at(-1)?.atMs;
  return seen[0]?.atMs === lastMs ? seen : seen.filter(({ atMs }) => atMs !== lastMs);
}

/** Splits the rows into groups. All rows of one millisecond are in one group. */
function wholeMoments(seen: readonly SeenUse[]): readonly (readonly SeenUse[])[] {
  const groups: SeenUse[][] = [];
  let group: SeenUse[] = [];
  for (const use of seen) {
    if (group.length >= DECIDED_AT_ONCE && group.at(-1)?.atMs !== use.atMs) group = [];
    if (group.length === 0) groups.push(group);
    group.push(use);
  }
  return groups;
}

async function eventsOf(rows: StoreReader, seen: readonly SeenUse[]) {
  const seqs = seen.map(({ seq }) => seq);
  const events = [];
  for (let at = 0; at < seqs.length; at += MAX_FETCHED)
    events.push(...(await rows.history.usesBySeq(seqs.slice(at, at + MAX_FETCHED))));
  return events;
}

/**
 * Returns the texts that the database looks for in the facts of uses: the wanted text, and the ids of policies whose titles have the
 * wanted text. If there are too many such policies, every use fits. This function ignores grants: `isNamed` compares their ids and titles.
 */
async function textsOfUses({ rows, search, work }: ListSource, text: string): Promise<RowSearch['texts']> {
  if (text === '') return [[WITH_LINE]];
  return work.piece(async () => {
    const live = await rows.policies({ isLive: true, limit: MAX_READ_POLICIES });
    const ended = await rows.policies({ isLive: false, limit: MAX_READ_POLICIES });
    const named = [...live, ...ended].filter((policy) => foldCase(policyTitle(policy)).includes(text));
    const isCut = Math.max(live.length, ended.length) === MAX_READ_POLICIES;
    if (isCut || named.length > MAX_POLICIES) return [[WITH_LINE]];
    return [[...certainParts(search.text), WITH_LINE], ...named.map(({ id }) => [id])];
  });
}

/**
 * Returns the titles of the grants that the rows name. The scope of a grant that was used never changes. So each title is kept for later
 * searches. The result is a map of its own: another search can empty the kept titles at any time.
 */
async function titlesOf({ parts, rows, work }: ListSource, seen: readonly SeenUse[]): Promise<KeptTitles> {
  const kept = parts.searches.titles;
  if (kept.size > MAX_KEPT_TITLES) kept.clear();
  const titles: KeptTitles = new Map();
  const unknown: string[] = [];
  for (const id of new Set(seen.map(({ grantId }) => grantId))) {
    if (id === null) continue;
    const title = kept.get(id);
    if (title === undefined) unknown.push(id);
    else titles.set(id, title);
  }
  for (let at = 0; at < unknown.length; at += MAX_FETCHED) {
    const ids = unknown.slice(at, at + MAX_FETCHED);
    const scopes = await work.piece(() => rows.history.scopesOf(ids));
    for (const id of ids) {
      const scope = scopes.get(id);
      const title = scope === undefined ? '' : foldCase(scopeTitle(scope));
      titles.set(id, title);
      kept.set(id, title);
    }
  }
  return titles;
}
