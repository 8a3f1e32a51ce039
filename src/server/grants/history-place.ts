/**
 * Reads and writes the place where a page of the history begins. The history has two merged lists; each can have several entries of one
 * millisecond.
 */

import type { GrantView } from '../../core/wire/grant-view.ts';
import type { PastUse } from '../../web/cards/use-row.ts';

/** @property seq the sequence number of the use's audit event; of several events, that of the oldest */
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
 * For each of the two lists, its last entry before the page. An earlier page has shown this entry, or has left it out because the searched
 * text is not in it. Null: the page begins with the newest entry of this list.
 */
interface HistoryPlace {
  readonly grant: GrantPlace | null;
  readonly use: UsePlace | null;
}

const START: HistoryPlace = { grant: null, use: null };
const PLACE = /^(?:(\d{1,15})-([A-Za-z0-9_]{1,64}))?,(?:(\d{1,15})-(\d{1,15}))?$/;

/** Reads a place from an address; a text that is not a place gives the start. */
export function placeInHistory(text = ''): HistoryPlace {
  const [, grantMs, id, useMs, seq] = PLACE.exec(text) ?? [];
  return {
    grant: grantMs === undefined || id === undefined ? START.grant : { atMs: Number(grantMs), id },
    use: useMs === undefined || seq === undefined ? START.use : { atMs: Number(useMs), seq: Number(seq) },
  };
}

/** Returns the members of a filter for the grants that are older than this place; null: for all grants. */
export const grantsBefore = (grant: GrantPlace | null) =>
  grant === null ? {} : { beforeMs: grant.atMs, beforeId: grant.id };

/** Returns the members of a filter for the uses that are older than this place; null: for all uses. */
export const usesBefore = (use: UsePlace | null) => (use === null ? {} : { beforeMs: use.atMs, beforeSeq: use.seq });

/** Writes a place as a text for `placeInHistory`. */
export const placeText = ({ grant, use }: HistoryPlace): string =>
  `${grant === null ? '' : `${grant.atMs}-${grant.id}`},${use === null ? '' : `${use.atMs}-${use.seq}`}`;
