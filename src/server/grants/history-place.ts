/** Says where a page of the history begins. The history is merged from two lists, each of which can have several entries of one millisecond. */

/** The last entry of each list that was shown; null: no entry was shown. */
interface HistoryPlace {
  readonly grant: { readonly atMs: number; readonly id: string } | null;
  readonly use: { readonly atMs: number; readonly seq: number } | null;
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

export const grantsBefore = ({ grant }: HistoryPlace) =>
  grant === null ? {} : { beforeMs: grant.atMs, beforeId: grant.id };

export const usesBefore = ({ use }: HistoryPlace) => (use === null ? {} : { beforeMs: use.atMs, beforeSeq: use.seq });

type Shown =
  | { readonly grant: { readonly id: string; readonly createdAtMs: number } }
  | { readonly use: { readonly atMs: number; readonly seq: number } };

/** Writes the place after the entries that were shown as a text for `placeInHistory`. */
export function addressAfter(place: HistoryPlace, shown: readonly Shown[]): string {
  const grant = shown.flatMap((entry) => ('grant' in entry ? [entry.grant] : [])).at(-1);
  const use = shown.flatMap((entry) => ('use' in entry ? [entry.use] : [])).at(-1) ?? place.use;
  const lastGrant = grant === undefined ? place.grant : { atMs: grant.createdAtMs, id: grant.id };
  return `${lastGrant === null ? '' : `${lastGrant.atMs}-${lastGrant.id}`},${use === null ? '' : `${use.atMs}-${use.seq}`}`;
}
