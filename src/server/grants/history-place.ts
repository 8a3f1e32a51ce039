/**
 * Reads and writes the place where a page of the history begins. The history merges two lists. Several entries of a list can have the same
 * millisecond, so a place has an id or a sequence number, too.
 */

import type { GrantView } from '../../core/wire/grant-view.ts';
import type { PastUse } from '../../web/cards/use-row.ts';

/** @property seq the sequence number of the audit event. If the use has several events, `seq` is the number of the oldest event. */
export type PlacedUse = PastUse & { readonly seq: number };

export type HistoryEntry =
  | { readonly kind: 'grant'; readonly atMs: number; readonly grant: GrantView }
  | { readonly kind: 'use'; readonly atMs: number; readonly use: PlacedUse };

export interface GrantPlace {
  readonly atMs: number;
  readonly id: string;
}

export interface UsePlace {
  readonly atMs: number;
  readonly seq: number;
}

/**
 * For each list, names the last entry that is done: an earlier page showed this entry, or left it out because it does not contain the
 * searched text. Null: the page begins with the newest entry of this list.
 */
interface HistoryPlace {
  readonly grant: GrantPlace | null;
  readonly use: UsePlace | null;
}

const START: HistoryPlace = { grant: null, use: null };
const PLACE = /^(?:(\d{1,15})-([A-Za-z0-9_]{1,64}))?,(?:(\d{1,15})-(\d{1,15}))?$/;

/** Reads the text of a place from a URL. Returns the start if the text is not a place. */
export function placeInHistory(text = ''): HistoryPlace {
  const [, grantMs, id, useMs, seq] = PLACE.exec(text) ?? [];
  return {
    grant: grantMs === undefined || id === undefined ? START.grant : { atMs: Number(grantMs), id },
    use: useMs === undefined || seq === undefined ? START.use : { atMs: Number(useMs), seq: Number(seq) },
  };
}

/** Returns a filter that takes only the grants that are older than this place. If `grant` is null, the filter takes all grants. */
export const grantsBefore = (grant: GrantPlace | null) =>
  grant === null ? {} : { beforeMs: grant.atMs, beforeId: grant.id };

/** Returns the members of a filter for the uses older than this place. If `use` is null, the filter takes all uses. */
export const usesBefore = (use: UsePlace | null) => (use === null ? {} : { beforeMs: use.atMs, beforeSeq: use.seq });

/** Writes a place as a text for `placeInHistory`. */
export const placeText = ({ grant, use }: HistoryPlace): string =>
  `${grant === null ? '' : `${grant.atMs}-${grant.id}`},${use === null ? '' : `${use.atMs}-${use.seq}`}`;
