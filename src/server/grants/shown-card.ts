/** What a card, and an entry of the inbox, show besides the grant itself. */
import type { AssessmentView } from '../../core/effects/assessment-view.ts';
import { needsMatch, shownRisk } from '../../core/effects/shown-risk.ts';
import { type Grant, stateAt } from '../../core/grant/grant.ts';
import { choicesOf } from '../../core/grant/grant-match.ts';
import type { ExecutionRequest } from '../../core/grant/request.ts';
import type { ListedGrant } from '../../store/listed-request.ts';
import type { StoreReader } from '../../store/store.ts';
import { type AboutGrant, MAX_REPEATS, NOTHING_MORE } from '../../web/cards/grant-card.ts';
import type { Brief } from '../../web/cards/grant-rows.ts';
import type { ServerParts } from '../server-ports.ts';
import { lineOf, type Past, proposalsFor, shownAssessment, usesOf } from './about-line.ts';
import { grantView } from './grant-view.ts';
import { planSheet } from './plan-sheet.ts';

/** The line is read again each time; proposals are made only while the grant is pending. */
export async function aboutGrant(
  parts: ServerParts,
  rows: StoreReader,
  past: Past,
  grant: ListedGrant,
): Promise<AboutGrant> {
  if (grant.cutFrom !== undefined) return NOTHING_MORE;
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
    uses: isStanding ? await usesOf(rows, grant.id) : [],
    before: isPending ? await approvedEnvironment(rows, grant.requesterId, nowMs) : null,
    repeats: isPending ? await repeatsOf(rows, grant.id) : 0,
    match: isPending && needsMatch(risk) ? await cardMatch(rows, grant.id) : null,
    ...(grant.request.plan === undefined ? {} : { plan: await planSheet(parts, rows, grant) }),
  };
}

/** The environment of the requester's newest approved request: an approver has seen that one. */
async function approvedEnvironment(
  rows: StoreReader,
  requesterId: string,
  nowMs: number,
): Promise<ExecutionRequest['environment'] | null> {
  const [last] = await rows.grants({ requesterId, states: ['approved', 'used'], limit: 1, nowMs });
  if (last === undefined) return null;
  if (last.cutFrom === undefined) return last.request.environment;
  return (await rows.grant(last.id))?.request.environment ?? null;
}

async function cardMatch(rows: StoreReader, grantId: string): Promise<AboutGrant['match']> {
  const match = await rows.match(grantId);
  return match === undefined ? { choices: [], wrong: 0 } : { choices: choicesOf(match), wrong: match.wrong };
}

const repeatsOf = async (rows: StoreReader, grantId: string): Promise<number> =>
  (await rows.eventsOf(grantId, 'grant.repeated', MAX_REPEATS)).length;

export async function briefOf(parts: ServerParts, rows: StoreReader, grant: ListedGrant): Promise<Brief> {
  const shown = grantView(grant, parts.clock.nowMs(), parts.publicUrl());
  // The text was cut in the database: what is left must not be read as a line.
  if (grant.cutFrom !== undefined) return { grant: shown, risk: 'unknown', repeats: 0, groupKey: null };
  const assessment = shownAssessment(await lineOf(parts, rows, grant), grant, parts.mcpRules);
  const risk = shownRisk(grant.request, assessment);
  const repeats = shown.state === 'pending' ? await repeatsOf(rows, grant.id) : 0;
  return { grant: shown, risk, repeats, groupKey: groupKeyOf(grant, assessment, risk) };
}

/** A longer text is not shown whole in a list, so it is decided alone. */
const MAX_LISTED = 160;

/** Requests of one requester that do the same kind of thing, at the same risk; null for what a list cannot show whole. */
function groupKeyOf(
  { requesterId, request }: Grant,
  assessment: AssessmentView | null,
  risk: Brief['risk'],
): string | null {
  const isPlain = request.kind === 'command' || request.kind === 'line' || request.kind === 'argv';
  if (!isPlain || request.text.length > MAX_LISTED || request.text.trimEnd().includes('\n')) return null;
  if (request.kind === 'command' && request.argv.length > 2) return null;
  const parts = assessment?.commands ?? [];
  const what = parts.map(({ permission, source }) => permission?.operation ?? wordOf(source));
  const where = [request.cwd, request.user, request.environment];
  return JSON.stringify([requesterId, request.kind, risk, where, what.length === 0 ? [wordOf(request.text)] : what]);
}

const wordOf = (text: string): string => text.trimStart().split(/\s/, 1)[0] ?? '';
