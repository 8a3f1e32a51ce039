/** Stage 5 of a request, coverage: uses a grant for exactly this request, or standing grants that together cover the request. */
import { isAssessable } from '../../core/effects/assess-request.ts';
import {
  compareForUse,
  type Grant,
  hasNeededSeal,
  isForCalls,
  isForCommands,
  isForPlan,
} from '../../core/grant/grant.ts';
import { type ExecutionRequest, isDoneByTool } from '../../core/grant/request.ts';
import { callScopeCovers } from '../../core/scope/call-scope-covers.ts';
import { proposalPlaceOf } from '../../core/scope/propose.ts';
import type { StoreReader, StoreWriter } from '../../store/store.ts';
import type { ServerParts } from '../server-ports.ts';
import type { PolicyVerdict } from './apply-policy.ts';
import type { AskOutcome } from './ask-outcome.ts';
import type { Asked } from './asked.ts';
import { useStandingGrants } from './cover.ts';
import { useExactPart } from './cover-by-plan.ts';
import { factsOfUse, type Use, useGrant, useOf } from './use.ts';

/**
 * Uses the grants that cover the request, and counts these uses. In two cases nothing is counted:
 * - `wants-findings`: standing grants may cover the request, but the host has not sent its findings
 * - null: no grants cover the request, so an approver has to decide
 */
export async function coverAsked(
  { standing, clock, mcpRules }: Pick<ServerParts, 'standing' | 'clock' | 'mcpRules'>,
  rows: StoreWriter,
  asked: Asked,
  policy: Exclude<PolicyVerdict, { kind: 'forbidden' }>,
): Promise<AskOutcome | null> {
  const nowMs = clock.nowMs();
  const exact =
    policy.kind === 'free'
      ? ((await useExactPart(rows, standing, asked, nowMs)) ?? (await useCovering(rows, mcpRules, asked, nowMs)))
      : null;
  if (exact !== null) return permitted(rows, exact);
  const { request, assessment, body } = asked;
  if (isAssessable(request) && body.findings === undefined) return { kind: 'wants-findings' };
  if (assessment === null) return null;
  const { cwd, confinementLevel } = proposalPlaceOf(request.cwd, body.findings ?? null);
  const isSealedOnly = body.sealedOnly === true;
  const assessed = { ...asked, assessment, cwd, confinementLevel, isSealedOnly };
  const covered = await useStandingGrants(rows, standing, assessed, nowMs);
  return covered === null ? null : permitted(rows, covered);
}

const permitted = async (rows: StoreReader, use: Use): Promise<AskOutcome> => ({
  kind: 'permitted',
  use,
  approversSequence: await approversSequenceFor(rows, use),
});

/**
 * Returns the sequence number of the newest list of approvers; null if the use has no seals. Hosts with an older list fetch the newest
 * list.
 */
export const approversSequenceFor = async (rows: StoreReader, { seals }: Pick<Use, 'seals'>): Promise<number | null> =>
  seals === null ? null : rows.approversSequence();

/** Uses the first covering grant; looks again if another call changed this grant meanwhile. Returns null if no grant can be used. */
async function useCovering(
  rows: StoreWriter,
  mcpRules: ServerParts['mcpRules'],
  { requesterId, request, fingerprint, body }: Asked,
  nowMs: number,
): Promise<Use | null> {
  const asked = { requesterId, request, fingerprint, isSealedOnly: body.sealedOnly === true };
  for (;;) {
    const grant = await coveringGrant(rows, mcpRules, asked, nowMs);
    if (grant === undefined) return null;
    const outcome = await useGrant(rows, grant, nowMs, factsOfUse(grant, request, fingerprint));
    if (outcome !== 'overtaken') return outcome === 'used' ? useOf(grant, fingerprint) : null;
  }
}

/** @property isSealedOnly whether the request's host takes sealed approvals only */
interface AskedExactly extends Pick<Asked, 'requesterId' | 'request' | 'fingerprint'> {
  readonly isSealedOnly: boolean;
}

/** Returns the first grant to use for exactly this request, or for this call of a tool. Does not use the grant. */
export async function coveringGrant(
  rows: StoreReader,
  mcpRules: ServerParts['mcpRules'],
  { requesterId, request, fingerprint, isSealedOnly }: AskedExactly,
  nowMs: number,
): Promise<Grant | undefined> {
  // Scopes for commands have conditions that `useStandingGrants` checks. Plans are used by `useExactPart` and `useStandingGrants`.
  const exact = (await rows.coveringGrants(requesterId, fingerprint, nowMs)).filter(
    ({ scope }) => !isForCommands(scope) && !isForPlan(scope),
  );
  const [first] = [...exact, ...(await grantsForCall(rows, requesterId, request, mcpRules, nowMs))]
    .filter((grant) => hasNeededSeal(grant, isSealedOnly))
    .sort(compareForUse);
  return first;
}

/** Returns the approvals whose call scope (path prefix, tools or host) covers the whole request. Does not use these approvals. */
async function grantsForCall(
  rows: StoreReader,
  requesterId: string,
  request: ExecutionRequest,
  mcpRules: ServerParts['mcpRules'],
  nowMs: number,
): Promise<readonly Grant[]> {
  if (!isDoneByTool(request.kind)) return [];
  const scoped = await rows.scopedGrants(requesterId, nowMs);
  return scoped.filter(
    ({ scope, request: asked }) => isForCalls(scope) && callScopeCovers(scope, asked, request, mcpRules),
  );
}
