/**
 * Verifies a permit whose grants are sealed:
 * - Each seal must be of an approver on this host's list.
 * - Each document must be about this use.
 * - The documents must cover the request. This host reads the request itself.
 *
 * This host computes the confinement itself, or takes it from the sealed document. So the server can neither widen nor omit the
 * confinement.
 */
import { type Confinement, confinementOrNull } from '../core/confinement/confinement.ts';
import type { Risk } from '../core/effects/permission.ts';
import { type Failure, nothingRan } from '../core/failure.ts';
import { isForCalls, isForCommands, isForPlan } from '../core/grant/grant.ts';
import { canonicalRequest, type ExecutionRequest, isDoneByTool } from '../core/grant/request.ts';
import { riskOfCall, riskWithScope } from '../core/people/risk-to-approve.ts';
import { partKey } from '../core/plan/plan-scope.ts';
import { failed, type Result, success } from '../core/result.ts';
import { callScopeCovers } from '../core/scope/call-scope-covers.ts';
import type { GrantScope } from '../core/scope/command-scope.ts';
import { scopeFactsOf } from '../core/scope/conditions.ts';
import { coverAndConfine } from '../core/scope/confine-covered.ts';
import type { Candidate } from '../core/scope/cover-line.ts';
import { proposalPlaceOf } from '../core/scope/propose.ts';
import { approvalEndMs, isBreakGlassKey } from '../core/sealed/break-glass-key.ts';
import { countedUse, documentFault, partOf } from '../core/sealed/document-fault.ts';
import { listNeedsRisk, peopleSealFault, type Signed } from '../core/sealed/people-seals.ts';
import { type SealFault, sealFailure } from '../core/sealed/seal-fault.ts';
import type { McpServerRule } from '../core/tools/mcp-rule.ts';
import type { PermitPayload } from '../core/wire/permit.ts';
import type { ApproversDocument, DecisionDocument, PermitSeal } from '../core/wire/sealed.ts';
import type { Pin } from '../grants/approver-pin.ts';
import { spendBreakGlass } from '../grants/break-glass-uses.ts';
import type { GrantClient } from '../grants/client.ts';
import { approversSince } from '../grants/held-approvers.ts';
import { spendDecisions } from '../grants/used-decisions.ts';
import { sha256Hex } from '../platform/digest.ts';
import { verifySeal } from '../platform/seal-signature.ts';
import { fingerprintOf } from '../platform/surroundings.ts';
import type { LookedUp } from './facts/look-up.ts';
import { sealedReason, type UseReason } from './sealed-reason.ts';

/**
 * @property look     looks up the host facts; returns null if only a grant for the exact bytes can cover this kind of request
 * @property mcpRules loads the host's rule files of MCP servers
 */
export interface SealedUseParts {
  readonly client: GrantClient;
  readonly pin: Pin;
  readonly look: () => Promise<LookedUp | null>;
  readonly mcpRules: () => Promise<Result<readonly McpServerRule[], Failure>>;
}

/**
 * @property by          the names of the approvers who sealed, as in this host's list; each name occurs once
 * @property confinement null: not confined
 * @property isByScope   whether a sealed document has a scope for commands. Read from the documents: the server's answer could leave the
 *                       scope out
 * @property reason      the reason to print and to record
 */
export interface VerifiedUse {
  readonly by: readonly string[];
  readonly confinement: Confinement | null;
  readonly isByScope: boolean;
  readonly reason: UseReason;
}

/**
 * Verifies one use of sealed grants. This host counts the use of each break-glass key, and of each decision whose number of uses is
 * limited. A malformed document can make a check throw. In that case, this function refuses the use.
 */
export async function verifySealedUse(
  parts: SealedUseParts,
  request: ExecutionRequest,
  payload: PermitPayload,
): Promise<Result<VerifiedUse, Failure>> {
  try {
    return await verifyUse(parts, request, payload, payload.seals ?? []);
  } catch {
    return refuse('shape');
  }
}

async function verifyUse(
  parts: SealedUseParts,
  request: ExecutionRequest,
  payload: PermitPayload,
  seals: readonly PermitSeal[],
): Promise<Result<VerifiedUse, Failure>> {
  const named = payload.coveredBy ?? [{ grantId: payload.grantId, part: payload.part }];
  if (seals.length !== named.length) return refuse('shape');
  const partNumbers = named.map(({ part }) => part);
  const verified = await verifiedSeals(parts, payload, seals);
  if (!verified.ok) return verified;
  const { list, signed } = verified.value;
  const nowMs = parts.client.clock.nowMs();
  const { serverPublicKey: server, subjectId: requesterId } = parts.client.identity;
  for (const [at, signatures] of signed.entries())
    for (const { document } of signatures) {
      const use = { server, requesterId, host: request.host, grantId: named[at]?.grantId ?? '', nowMs };
      const fault = documentFault(document, use);
      if (fault !== null) return refuse(fault);
    }
  const risk = listNeedsRisk(list) ? await riskHere(parts, request, seals, partNumbers) : success(null);
  if (!risk.ok) return risk;
  for (const signatures of signed) {
    const fault = peopleSealFault(list, signatures, risk.value, nowMs);
    if (fault !== null) return refuse(fault);
  }
  const confinement =
    payload.coveredBy === undefined
      ? await checkOneGrant(parts, request, seals, nowMs, payload.part)
      : await checkCoverage(parts, request, seals, nowMs, partNumbers);
  if (!confinement.ok) return confinement;
  const counted = seals.flatMap(({ document }, at) => countedUse(document, partNumbers[at]) ?? []);
  const { stateDirectory } = parts.client;
  const breakGlassUses = signed
    .flat()
    .flatMap(({ document, by }) =>
      document.typ === 'ape-decision/1' && isBreakGlassKey(by)
        ? [{ keyId: by.keyId, decidedAtMs: document.decidedAtMs, endsAtMs: approvalEndMs(document) }]
        : [],
    );
  // Break-glass keys come first: if a break-glass key is refused, no use of a decision is recorded.
  const spendFailure =
    spendBreakGlass(stateDirectory, breakGlassUses) ?? spendDecisions(stateDirectory, counted, nowMs);
  if (spendFailure !== null) return failed(nothingRan(spendFailure));
  const by = new Set(signed.flat().map((each) => each.by.name));
  const isByScope = seals.some(({ document }, at) => isForCommands(scopeOf(document, partNumbers[at])));
  const reason = sealedReason(payload, {
    documents: signed.map((signatures) => signatures.map(({ document }) => document)),
    confinement: confinement.value,
    fingerprint: fingerprintOf(request),
  });
  return success({ by: [...by], confinement: confinement.value, isByScope, reason });
}

const refuse = (fault: SealFault): Result<never, Failure> => failed(sealFailure(fault));

/** @property signed the documents that people sealed for each grant or policy, in the order of the permit */
interface VerifiedSeals {
  readonly list: ApproversDocument;
  readonly signed: readonly (readonly Signed[])[];
}

async function verifiedSeals(
  { client, pin }: SealedUseParts,
  { approversSequence = 0 }: PermitPayload,
  seals: readonly PermitSeal[],
): Promise<Result<VerifiedSeals, Failure>> {
  if (pin.server !== client.identity.serverPublicKey) return refuse('other-server');
  const each = seals.map((one) => [one, ...(one.also ?? [])]);
  const newest = Math.max(approversSequence, ...each.flat().map(({ document }) => document.approversSequence));
  const kept = await approversSince(client, pin, newest);
  if (!kept.ok) return kept;
  const list = kept.value.newest.document;
  const signed: Signed[][] = [];
  for (const signatures of each) {
    const verified: Signed[] = [];
    for (const { document, seal } of signatures) {
      const verdict = verifySeal(document, seal, list);
      if (verdict.kind !== 'sealed') return refuse(verdict.kind);
      verified.push({ document, by: verdict.by });
    }
    signed.push(verified);
  }
  return success({ list, signed });
}

/**
 * Returns the higher one of two risks: the risk of the request, as this host reads it now, and the risk of what the scopes allow.
 * Null: not known.
 */
async function riskHere(
  { look, mcpRules }: SealedUseParts,
  request: ExecutionRequest,
  seals: readonly PermitSeal[],
  partNumbers: readonly (number | undefined)[],
): Promise<Result<Risk | null, Failure>> {
  const scopes = seals.map(({ document }, at) => scopeOf(document, partNumbers[at]));
  if (isDoneByTool(request.kind)) {
    const rules = await mcpRules();
    return rules.ok ? success(withScopes(riskOfCall(rules.value, request), scopes)) : rules;
  }
  const looked = await look();
  const isRead = looked !== null && looked.assessment.opaque.length === 0;
  return success(withScopes(isRead ? looked.assessment.risk : null, scopes));
}

/** Returns the scope of the document. For a plan, returns the scope of the used part. Returns null if only exact bytes were approved. */
function scopeOf(document: PermitSeal['document'], part: number | undefined): GrantScope | null {
  if (document.typ === 'ape-policy/1') return document.rule;
  return isForPlan(document.scope) ? (partOf(document, part)?.scope ?? null) : document.scope;
}

const withScopes = (asked: Risk | null, scopes: readonly (GrantScope | null)[]): Risk | null =>
  scopes.reduce<Risk | null>(riskWithScope, asked);

/** The confinement under which the documents cover the request; null: not confined. */
type ConfinementResult = Result<Confinement | null, Failure>;

/**
 * Checks one grant. One of these must be true:
 * - the grant is a plan, and the used part is exactly this request
 * - the grant is for exactly this request; if it has a scope for commands, the scope must also cover the line
 * - the grant is for another tool call, and the grant's call scope covers this call
 */
async function checkOneGrant(
  parts: SealedUseParts,
  request: ExecutionRequest,
  seals: readonly PermitSeal[],
  nowMs: number,
  part: number | undefined,
): Promise<ConfinementResult> {
  const [seal] = seals;
  if (seal === undefined || seal.document.typ !== 'ape-decision/1') return refuse('request');
  const { document, asked } = seal;
  const { scope } = document;
  if (isForPlan(scope)) {
    const given = partOf(document, part);
    return given?.scope === null && given.fingerprint === fingerprintOf(request) ? success(null) : refuse('request');
  }
  if (document.fingerprint === fingerprintOf(request))
    return isForCommands(scope) ? checkCoverage(parts, request, seals, nowMs, [part]) : success(document.confinement);
  if (!isForCalls(scope) || asked === undefined || !isAskedFor(document, asked)) return refuse('request');
  const rules = await parts.mcpRules();
  if (!rules.ok) return rules;
  return callScopeCovers(scope, asked, request, rules.value) ? success(null) : refuse('uncovered');
}

/**
 * Whether `asked` is the request that was approved. `asked` comes from the server. The digest of `asked` must therefore equal the sealed
 * fingerprint.
 */
const isAskedFor = ({ fingerprint }: DecisionDocument, asked: ExecutionRequest): boolean =>
  sha256Hex(canonicalRequest(asked)) === fingerprint;

/** Checks one or more grants that must together cover the line. This host does the look-up, coverage and confinement itself. */
async function checkCoverage(
  { look }: SealedUseParts,
  request: ExecutionRequest,
  seals: readonly PermitSeal[],
  nowMs: number,
  partNumbers: readonly (number | undefined)[],
): Promise<ConfinementResult> {
  const candidates = seals.map((seal, at) => candidateOf(seal, partNumbers[at]));
  const looked = await look();
  const requiredPermissions = looked?.assessment.requiredPermissions ?? null;
  if (
    looked === null ||
    looked.hostFacts === null ||
    requiredPermissions === null ||
    looked.assessment.opaque.length > 0
  )
    return refuse('unread');
  const { cwd, confinementLevel } = proposalPlaceOf(request.cwd, looked.hostFacts);
  const coverage = coverAndConfine(
    requiredPermissions,
    candidates,
    scopeFactsOf(request, nowMs, cwd, confinementLevel),
  );
  return coverage.kind === 'covered' ? success(confinementOrNull(coverage.confinement)) : refuse('uncovered');
}

/** @throws if the document has no scope for commands; such a document cannot cover a line */
function candidateOf({ document }: PermitSeal, part: number | undefined): Candidate {
  const scope = scopeOf(document, part);
  if (!isForCommands(scope)) throw new Error('no scope for commands');
  if (document.typ === 'ape-policy/1') return { grantId: document.policyId, scope };
  const given = partOf(document, part);
  return { grantId: given === null ? document.grantId : partKey(document.grantId, given.part), scope };
}
