/**
 * Makes the final decision whether an entry of the history matches a search. An earlier database query leaves out only entries that
 * cannot match. That query also compares the state, so this file does not compare the state.
 */
import { foldCase } from '../../core/text/searched-text.ts';
import type { GrantView } from '../../core/wire/grant-view.ts';
import type { PastUse } from '../../web/cards/use-row.ts';
import type { HistorySearch } from '../../web/pages/history-page.ts';
import { beginsId } from './begins-id.ts';

export interface HistoryMatcher {
  readonly matchesGrant: (grant: GrantView) => boolean;
  readonly matchesUse: (use: PastUse) => boolean;
}

export function historyMatcher(search: HistorySearch): HistoryMatcher {
  const text = foldCase(search.text);
  const host = foldCase(search.host);
  const from = startOf(search);
  const until = endOf(search);
  const hasText = (field: string | null) => foldCase(field ?? '').includes(text);
  const isFrom = (atMs: number, requesterId: string | null, itsHost: string) =>
    atMs >= from &&
    atMs < until &&
    (search.requesterId === '' || requesterId === search.requesterId) &&
    foldCase(itsHost).includes(host);
  return {
    matchesGrant: ({ id, createdAtMs, requesterId, request, reason, denyReason }) =>
      isFrom(createdAtMs, requesterId, request.host) &&
      (beginsId(text, id) ||
        [request.text, request.cwd, reason, denyReason].some(hasText) ||
        (request.files ?? []).some(({ verb, path }) => hasText(`${verb} ${path}`))),
    matchesUse: ({ atMs, requesterId, host: itsHost, line, by }) =>
      isFrom(atMs, requesterId, itsHost) &&
      (hasText(line) ||
        by.some(
          ({ grantId, title }) =>
            (grantId !== null && beginsId(text, grantId)) || (title !== grantId && hasText(title)),
        )),
  };
}

const DAY_MS = 86_400_000;
/** Returns the beginning of the first day of a search in UTC (Unix ms); negative infinity if the search has no first day. */
export const startOf = ({ from }: HistorySearch): number => (from === '' ? Number.NEGATIVE_INFINITY : Date.parse(from));
/** Returns the moment after the last day of a search in UTC (Unix ms); infinity if the search has no last day. */
export const endOf = ({ until }: HistorySearch): number =>
  until === '' ? Number.POSITIVE_INFINITY : Date.parse(until) + DAY_MS;
