/** Makes what the server shows beside a grant: the assessment of the line, the proposals, and the lines that ran under the grant. */

import { isConfinementLevel } from '../../core/confinement/confinement-shape.ts';
import type { AssessmentByFacts } from '../../core/effects/assess-request.ts';
import { type AssessmentView, assessmentView, viewWithDeciding } from '../../core/effects/assessment-view.ts';
import type { HostFacts } from '../../core/effects/host-facts.ts';
import type { StoredAuditEvent } from '../../core/grant/audit-event.ts';
import type { Grant } from '../../core/grant/grant.ts';
import type { EnvironmentEntry } from '../../core/grant/request.ts';
import type { CommandScope } from '../../core/scope/command-scope.ts';
import { confineUnder } from '../../core/scope/confine-covered.ts';
import { atPlace, proposalPlaceOf, proposeScopes } from '../../core/scope/propose.ts';
import { commandScopeFault } from '../../core/scope/scope-fault.ts';
import { scopeTitle } from '../../core/scope/scope-title.ts';
import type { PreviewAnswer, ProposalsAnswer } from '../../core/wire/proposals.ts';
import type { UseView } from '../../core/wire/why.ts';
import { newReadOnce } from '../../store/read-once.ts';
import type { StoreReader } from '../../store/store.ts';
import type { ServerParts } from '../server-ports.ts';
import { callProposals, callView } from './call-scopes.ts';
import { newlyDeciding } from './newly-deciding.ts';
import { evidenceFor, NOTHING_COVERED, type PastLine } from './past-lines.ts';
import { planParts, planView, type ReadPart } from './plan-reading.ts';
import { assessOnServer } from './server-assessment.ts';

const MAX_USES_SHOWN = 20;

/**
 * @property assessment null for plans, and for kinds of requests that are not read as a line
 * @property place      the directory, repository, home directory and confinement level from the host facts (`proposalPlaceOf`)
 * @property plan       the parts of the plan; undefined if the grant is not a plan
 * @property deciding   the deciding variables that make the risk of the request unknown (`newlyDeciding`)
 */
export interface GrantLine {
  readonly assessment: AssessmentByFacts | null;
  readonly place: ReturnType<typeof proposalPlaceOf>;
  readonly plan?: readonly ReadPart[];
  readonly deciding: readonly EnvironmentEntry[];
}

/**
 * Reads the line or the plan of a grant.
 * @param facts newer host facts; null: the host facts that were filed with the grant. For a plan, `facts` is ignored
 */
export async function lineOf(
  { rules }: Pick<ServerParts, 'rules'>,
  rows: StoreReader,
  grant: Grant,
  facts: HostFacts | null = null,
): Promise<GrantLine> {
  const deciding = await newlyDeciding(rows, grant);
  if (grant.request.plan !== undefined)
    return {
      assessment: null,
      place: proposalPlaceOf(grant.request.cwd, null),
      plan: await planParts({ rules }, rows, grant),
      deciding,
    };
  const hostFacts = facts ?? (await rows.hostFacts(grant.id));
  const assessment = await assessOnServer(rules, grant.request, hostFacts);
  return { assessment, place: proposalPlaceOf(grant.request.cwd, hostFacts), deciding };
}

/** Reads the past lines of the requester with this id. */
export type Past = (requesterId: string) => Promise<readonly PastLine[]>;

/** Returns a function that reads the past lines of each requester only once. Pages with many cards use this function. */
export function pastIn({ past }: Pick<ServerParts, 'past'>, rows: StoreReader): Past {
  const readOnce = newReadOnce();
  return (requesterId) => readOnce(requesterId, () => past.of(rows, requesterId));
}

const linesOfOtherGrants = async (past: Past, grant: Grant): Promise<readonly PastLine[]> =>
  (await past(grant.requesterId)).filter(({ grantId }) => grantId !== grant.id);

/**
 * Returns the assessment and the proposals of a grant. A plan has no proposals. `wouldHaveCovered` says how many past lines a proposal
 * would have covered, and gives examples. For an MCP call or a fetch, no past lines are counted.
 */
export async function proposalsFor(
  past: Past,
  grant: Grant,
  line: GrantLine,
  mcpRules: ServerParts['mcpRules'],
): Promise<ProposalsAnswer> {
  const assessment = shownAssessment(line, grant, mcpRules);
  if (line.plan !== undefined) return { assessment, proposals: [] };
  const forCall = callProposals(mcpRules, grant.request);
  if (forCall !== null) return { assessment, proposals: forCall };
  const offered = proposeScopes({ request: grant.request, assessment: line.assessment }, line.place);
  const hasScope = offered.some(({ scope }) => scope !== null);
  const before = hasScope ? await linesOfOtherGrants(past, grant) : [];
  return {
    assessment,
    proposals: offered.map((proposal) => ({
      ...proposal,
      wouldHaveCovered: proposal.scope === null ? NOTHING_COVERED : evidenceFor(proposal.scope, before),
    })),
  };
}

/** Returns the assessment that people see: of the line, the MCP call, the fetches or the plan; null for other requests. */
export function shownAssessment(
  { assessment, plan, deciding }: GrantLine,
  { request }: Pick<Grant, 'request'>,
  mcpRules: ServerParts['mcpRules'],
): AssessmentView | null {
  if (plan !== undefined) return viewWithDeciding(planView(request, plan), deciding);
  const view = assessment === null ? callView(mcpRules, request) : assessmentView(assessment);
  return view && viewWithDeciding(view, deciding);
}

/** Returns what an edited scope would cover, or why the approver may not give this scope. Changes nothing. */
export async function previewOf(
  past: Past,
  grant: Grant,
  { assessment, place }: GrantLine,
  scope: CommandScope,
): Promise<PreviewAnswer> {
  const fault = commandScopeFault(scope, atPlace({ request: grant.request, assessment }, place), false);
  if (fault !== null) return { outcome: 'fault', fault: { kind: fault.code, message: fault.message } };
  const wouldHaveCovered = evidenceFor(scope, await linesOfOtherGrants(past, grant));
  const held = confineUnder(scope, assessment?.requiredPermissions ?? [], place.confinementLevel);
  return { outcome: 'fits', title: scopeTitle(scope), held, wouldHaveCovered };
}

/** Returns at most `MAX_USES_SHOWN` uses of a grant, the newest first. */
export const usesOf = async (rows: StoreReader, grantId: string): Promise<readonly UseView[]> =>
  (await rows.eventsOf(grantId, 'grant.used', MAX_USES_SHOWN)).map(useView);

function useView({ atMs, facts }: StoredAuditEvent): UseView {
  const { line, files, others, confinement } = facts;
  const text = [line, files].find((fact) => typeof fact === 'string');
  return {
    atMs,
    line: typeof text === 'string' ? text : null,
    others: typeof others === 'string' && others !== '' ? others.split(' ') : [],
    confinement: isConfinementLevel(confinement) ? confinement : null,
  };
}
