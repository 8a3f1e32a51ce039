/** Collects what a card or an inbox entry shows in addition to the grant itself. */
import { needsMatch, shownRisk } from '../../core/effects/shown-risk.ts';
import { stateAt } from '../../core/grant/grant.ts';
import { choicesOf } from '../../core/grant/grant-match.ts';
import { ALL_RIGHTS } from '../../core/people/viewer-rights.ts';
import type { ListedGrant } from '../../store/listed-request.ts';
import type { StoreReader, Subject } from '../../store/store.ts';
import { type AboutGrant, MAX_REPEATS, NOTHING_MORE } from '../../web/cards/grant-card.ts';
import type { Brief } from '../../web/cards/grant-rows.ts';
import type { ServerParts } from '../server-ports.ts';
import { lineOf, type Past, proposalsFor, shownAssessment, usesOf } from './about-line.ts';
import { neededNow } from './approval-authority.ts';
import { decidedByIn } from './decided-by.ts';
import { grantView } from './grant-view.ts';
import { lastApproved } from './last-approved.ts';
import { newlyDecidingIn } from './newly-deciding.ts';
import { planSheet } from './plan-sheet.ts';
import { shownSealing } from './shown-sealing.ts';
import { rightsIn } from './viewer-rights.ts';

/**
 * Collects the contents of a card. Assesses the line of the grant anew at each call.
 * - If the text of the grant was cut (`cutFrom`), returns `NOTHING_MORE` with `decidedBy`.
 * - If the grant is not pending, `proposals`, `rights`, `before`, `sealing`, `isPaused`, `repeats`, `needed` and `match` are as in
 *   `NOTHING_MORE`.
 */
export async function aboutGrant(
  parts: ServerParts,
  rows: StoreReader,
  past: Past,
  grant: ListedGrant,
  viewer: Subject,
): Promise<AboutGrant> {
  const decidedBy = await decidedByIn(rows)(grant);
  if (grant.cutFrom !== undefined) return { ...NOTHING_MORE, decidedBy };
  const nowMs = parts.clock.nowMs();
  const line = await lineOf(parts, rows, grant);
  const isPending = stateAt(grant, nowMs) === 'pending';
  const { assessment, proposals } = isPending
    ? await proposalsFor(past, grant, line, parts.mcpRules)
    : { assessment: shownAssessment(line, grant, parts.mcpRules), proposals: [] };
  const isStanding = grant.term !== null && grant.term.kind !== 'once';
  const risk = shownRisk(grant.request, assessment);
  return {
    assessment,
    proposals,
    risk,
    decidedBy,
    nowMs,
    rights: isPending ? await (await rightsIn(parts, rows, viewer, nowMs))(grant) : ALL_RIGHTS,
    deciding: line.deciding,
    uses: isStanding ? await usesOf(rows, grant.id) : [],
    before: isPending ? ((await lastApproved(rows, grant.requesterId, grant.id))?.request.environment ?? null) : null,
    sealing: isPending ? await shownSealing(parts, rows, viewer) : null,
    isPaused: isPending && (await rows.pause(grant.requesterId)) !== undefined,
    repeats: isPending ? await repeatsOf(rows, grant.id) : 0,
    needed: isPending ? await neededNow(parts, rows, viewer, grant, nowMs) : 1,
    match: isPending && needsMatch(risk) ? await cardMatch(rows, grant.id) : null,
    ...(grant.request.plan === undefined ? {} : { plan: await planSheet(parts, rows, grant) }),
  };
}

async function cardMatch(rows: StoreReader, grantId: string): Promise<AboutGrant['match']> {
  const match = await rows.match(grantId);
  return match === undefined ? { choices: [], wrong: 0 } : { choices: choicesOf(match), wrong: match.wrong };
}

const repeatsOf = async (rows: StoreReader, grantId: string): Promise<number> =>
  (await rows.repeats([grantId], MAX_REPEATS)).get(grantId) ?? 0;

/** Makes entries of the inbox, in the order of the grants. An entry whose text was cut (`cutFrom`) has the risk `unknown` and no group. */
export async function briefsOf(
  parts: ServerParts,
  rows: StoreReader,
  grants: readonly ListedGrant[],
  viewer: Subject,
): Promise<readonly Brief[]> {
  const nowMs = parts.clock.nowMs();
  const repeats = await rows.repeats(
    grants.filter((grant) => stateAt(grant, nowMs) === 'pending').map(({ id }) => id),
    MAX_REPEATS,
  );
  const decidingOf = newlyDecidingIn(rows);
  const rightsOf = await rightsIn(parts, rows, viewer, nowMs);
  return Promise.all(
    grants.map(async (grant) => {
      const shown = grantView(grant, nowMs, parts.publicUrl());
      const rights = shown.state === 'pending' ? await rightsOf(grant) : ALL_RIGHTS;
      // The listed text is only a beginning, so it must not be read as a line.
      if (grant.cutFrom !== undefined)
        return { grant: shown, rights, risk: 'unknown', deciding: [], repeats: 0, groupKey: null } as const;
      const line = await parts.briefLines.of(parts, rows, grant, decidingOf);
      return { grant: shown, rights, repeats: repeats.get(grant.id) ?? 0, ...line };
    }),
  );
}
