/** Makes one page of the standing approvals. A search leaves out the approvals that do not match. */
import { foldCase } from '../../core/text/searched-text.ts';
import type { GrantView } from '../../core/wire/grant-view.ts';
import type { StoreReader } from '../../store/store.ts';
import type { StandingSearch } from '../../web/pages/standing-page.ts';
import type { ServerParts } from '../server-ports.ts';
import { beginsId } from './begins-id.ts';
import { grantView } from './grant-view.ts';
import { grantsBefore, placeInHistory, placeText } from './history-place.ts';

const BATCH_SIZE = 200;
const MAX_SHOWN = 50;
/** The most batches that are read for one page. */
const MAX_BATCHES = 10;
const DAY_MS = 86_400_000;

/**
 * @property grants the newest first, at most `MAX_SHOWN`; in a search, an empty page can have a next page
 * @property older  where the next page begins; null: this is the last page
 */
export interface StandingPart {
  readonly grants: readonly GrantView[];
  readonly older: string | null;
}

/** Reads a search from the query of an address. A field that is missing or has no valid value restricts nothing. */
export function standingSearch(query: Readonly<Record<string, unknown>>): StandingSearch {
  const { text, used } = query;
  return {
    text: typeof text === 'string' ? text.trim().slice(0, 200) : '',
    used: used === 'never' || used === 'today' ? used : 'any',
  };
}

/** @param before `older` of the previous page; absent or malformed: the page begins at the newest grant */
export async function standingPart(
  parts: ServerParts,
  rows: StoreReader,
  before: string | undefined,
  { text, used }: StandingSearch,
): Promise<StandingPart> {
  const nowMs = parts.clock.nowMs();
  const wanted = foldCase(text);
  const limit = wanted === '' && used === 'any' ? MAX_SHOWN + 1 : BATCH_SIZE;
  const found: GrantView[] = [];
  let place = placeInHistory(before);
  for (let round = 0; round < MAX_BATCHES; round += 1) {
    const grants = await rows.grants({ isStanding: true, limit, nowMs, ...grantsBefore(place.grant) });
    for (const grant of grants) {
      if (found.length === MAX_SHOWN) return { grants: found, older: placeText(place) };
      place = { ...place, grant: { atMs: grant.createdAtMs, id: grant.id } };
      const view = grantView(grant, nowMs, parts.publicUrl());
      if (wanted !== '' && !isFound(view, wanted)) continue;
      if (used === 'never' && view.uses > 0) continue;
      if (used === 'today' && (view.usedAtMs ?? 0) < nowMs - DAY_MS) continue;
      found.push(view);
    }
    if (grants.length < limit) return { grants: found, older: null };
  }
  return { grants: found, older: placeText(place) };
}

const isFound = (view: GrantView, wanted: string): boolean =>
  beginsId(wanted, view.id) || textsOf(view).some((field) => foldCase(field).includes(wanted));

const textsOf = ({ request, requesterName }: GrantView): readonly string[] => [
  requesterName,
  request.text,
  request.cwd,
  request.host,
  ...(request.files ?? []).map(({ verb, path }) => `${verb} ${path}`),
];
