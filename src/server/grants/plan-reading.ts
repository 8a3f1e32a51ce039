/** Reads the parts of a plan. Uses the server's own rule files, and the host facts that came with the plan. */

import type { AssessmentByFacts } from '../../core/effects/assess-request.ts';
import { type AssessmentView, assessmentView, viewWithDeciding } from '../../core/effects/assessment-view.ts';
import { higherRisk } from '../../core/effects/permission.ts';
import { type ShownRisk, shownRisk } from '../../core/effects/shown-risk.ts';
import { type Fault, fault } from '../../core/fault.ts';
import type { Grant } from '../../core/grant/grant.ts';
import { canonicalRequest, type EnvironmentEntry, type ExecutionRequest } from '../../core/grant/request.ts';
import { partRequest } from '../../core/plan/plan.ts';
import { offersFor, type PartReading, planScopeFault } from '../../core/plan/plan-parts.ts';
import type { Result } from '../../core/result.ts';
import type { PlanScope } from '../../core/scope/command-scope.ts';
import { proposalPlaceOf } from '../../core/scope/propose.ts';
import { type ScopeFault, unfit } from '../../core/scope/unfit.ts';
import type { PartOffer } from '../../core/wire/plan.ts';
import { sha256Hex } from '../../platform/digest.ts';
import type { PlanHostFacts, StoreReader } from '../../store/store.ts';
import type { ServerPorts } from '../server-ports.ts';
import { newlyDeciding } from './newly-deciding.ts';
import { assessOnServer } from './server-assessment.ts';

/**
 * @property fingerprint the fingerprint of `request`
 * @property offers the scopes that an approver may give to this part, the narrowest first; or the reason why the part cannot be planned
 * @property risk   the highest risk of the part's own line and of everything that its widest scope covers
 * @property deciding the variables that make the risk of the part unknown
 */
export interface ReadPart extends PartReading {
  readonly assessment: AssessmentByFacts | null;
  readonly fingerprint: string;
  readonly offers: Result<readonly PartOffer[], Fault>;
  readonly risk: ShownRisk;
  readonly deciding: readonly EnvironmentEntry[];
}

/**
 * Reads the parts of a plan, in their order. Returns an empty list for a request that is no plan.
 * @param deciding the variables that make the risk of the plan unknown: the objects of `request.environment` themselves, not copies
 */
export async function readParts(
  { rules }: Pick<ServerPorts, 'rules'>,
  request: ExecutionRequest,
  factsOfParts: PlanHostFacts,
  deciding: readonly EnvironmentEntry[] = [],
): Promise<readonly ReadPart[]> {
  const read: ReadPart[] = [];
  for (const [at, part] of (request.plan?.parts ?? []).entries()) {
    const own = partRequest(request, part);
    const hostFacts = factsOfParts[at] ?? null;
    const assessment = await assessOnServer(rules, own, hostFacts);
    const reading = { part, request: own, assessment, place: proposalPlaceOf(part.cwd, hostFacts) };
    const offers = offersFor(reading);
    const ofPart = own.environment.filter((entry) => deciding.includes(entry));
    const view = assessment && viewWithDeciding(assessmentView(assessment), ofPart);
    const risk = riskOf(shownRisk(own, view), offers);
    read.push({ ...reading, fingerprint: sha256Hex(canonicalRequest(own)), offers, risk, deciding: ofPart });
  }
  return read;
}

/** Returns the higher of two risks: the part's own risk, and the risk of its widest scope. This scope can cover lines of a higher risk. */
function riskOf(own: ShownRisk, offers: Result<readonly PartOffer[], Fault>): ShownRisk {
  const widest = offers.ok ? (offers.value.at(-1)?.scope ?? null) : null;
  if (own === 'unknown' || widest === null) return own;
  return widest.patterns.map(({ highestRisk }) => highestRisk).reduce(higherRisk, own);
}

/** Reads the parts of a plan that was filed. */
export const planParts = async (
  parts: Pick<ServerPorts, 'rules'>,
  rows: StoreReader,
  grant: Pick<Grant, 'id' | 'requesterId' | 'request'>,
): Promise<readonly ReadPart[]> =>
  readParts(parts, grant.request, await rows.planHostFacts(grant.id), await newlyDeciding(rows, grant));

/**
 * Makes one assessment of the whole plan, for code that needs one assessment per request. The plan's risk is null (unknown) if the risk of
 * a part is unknown, or if there are no parts. `opaque` is always empty, even if a part is opaque.
 */
export function planView(request: ExecutionRequest, parts: readonly ReadPart[]): AssessmentView {
  const risks = parts.map(({ risk }) => risk);
  const known = risks.flatMap((risk) => (risk === 'unknown' ? [] : [risk]));
  const views = parts.flatMap(({ assessment }) => (assessment === null ? [] : [assessmentView(assessment)]));
  return {
    text: request.text,
    harness: null,
    command: request.text,
    bash: 'unknown',
    risk: known.length < risks.length || known.length === 0 ? null : known.reduce(higherRisk),
    opaque: [],
    commands: views.flatMap(({ commands }) => commands),
    demands: null,
  };
}

/** Returns the reason why an approver may not give `scope` to this plan; null: the approver may give this scope. */
export function givenPlanFault(
  request: ExecutionRequest,
  parts: readonly ReadPart[],
  scope: PlanScope,
): ScopeFault | null {
  if (request.plan === undefined) return unfit('only a plan is approved part by part');
  const offers = parts.map(({ offers }) => (offers.ok ? offers.value : []));
  return planScopeFault(
    scope,
    request.plan,
    parts.map(({ fingerprint }) => fingerprint),
    offers,
  );
}

/** Finds the first part that cannot be planned, and returns the reason; null: each part can be planned. */
export function firstFault(parts: readonly ReadPart[]): Fault | null {
  for (const [at, { offers }] of parts.entries())
    if (!offers.ok) return fault(`part ${at + 1}: ${offers.failure.message}`);
  return null;
}
