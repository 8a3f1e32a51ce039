/**
 * `POST /v1/requests`: forbidden, covered and used, to be looked up first, waiting already, or filed. Reading the line
 * comes before the transaction; every decision is made within it.
 */

import { isAssessable } from '../../core/assessment/assess-request.ts';
import { grantEvent } from '../../core/audit-event.ts';
import type { Failure } from '../../core/failure.ts';
import { scopeReaches } from '../../core/file-scope.ts';
import { compareForUse, type Grant, isForCommands, isForFiles, PENDING_LIFETIME_MS } from '../../core/grant.ts';
import { canonicalRequest, type ExecutionRequest } from '../../core/request.ts';
import type { Result } from '../../core/result.ts';
import { proposalPlaceOf } from '../../core/scope/propose.ts';
import type { AskBody } from '../../core/wire.ts';
import { sha256Hex } from '../../platform/digest.ts';
import type { StoreWriter, Subject } from '../../store/store.ts';
import { newId } from '../identity/secrets.ts';
import { type Refusal, refusal } from '../refusal.ts';
import { change, type ServerParts } from '../server-ports.ts';
import { useStandingGrants } from './cover.ts';
import { type Judged, judgeRequest } from './judging.ts';
import { factsOfUse, type Use, useGrant, useOf } from './use.ts';
import { recordVeto, vetoOf } from './veto.ts';

/** One requester cannot bury its approver: more undecided requests than this are turned away. */
export const MAX_PENDING_PER_REQUESTER = 500;

export type AskOutcome =
  | { readonly kind: 'permitted'; readonly use: Use }
  /** Nothing was filed, and nothing recorded. */
  | { readonly kind: 'wants-findings' }
  | { readonly kind: 'pending'; readonly filed: boolean; readonly grant: Grant }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

/** @property judged by the host facts that were sent; null when none were */
interface Asked {
  readonly requester: Subject;
  readonly requesterId: string;
  readonly body: AskBody;
  readonly request: ExecutionRequest;
  readonly fingerprint: string;
  readonly judged: Judged | null;
}

export async function ask(parts: ServerParts, requester: Subject, body: AskBody): Promise<Result<AskOutcome, Failure>> {
  const { request, findings: hostFacts = null } = body;
  const fingerprint = sha256Hex(canonicalRequest(request));
  const judged = hostFacts === null ? null : await judgeRequest(parts.rules, request, hostFacts);
  const asked: Asked = { requester, requesterId: requester.id, body, request, fingerprint, judged };
  const id = newId('g', parts.random);
  return change(parts, async (rows): Promise<AskOutcome> => {
    await rows.lockRequest(requester.id, fingerprint);
    return (await decideNow(parts, rows, asked)) ?? fileRequest(rows, asked, id, parts.clock.nowMs());
  });
}

/** What can be said without a human, in the order a stranger can read aloud; null: nothing. */
async function decideNow(parts: ServerParts, rows: StoreWriter, asked: Asked): Promise<AskOutcome | null> {
  const { requesterId, request, judged } = asked;
  const nowMs = parts.clock.nowMs();
  await parts.standing.inStep(rows);
  const veto = await vetoOf(parts.standing, parts.rules, requesterId, request, judged);
  if (veto.kind === 'forbidden') return { kind: 'refused', refusal: await recordVeto(rows, veto.rule, asked, nowMs) };
  const exact = veto.kind === 'free' ? await useCovering(rows, asked, nowMs) : null;
  if (exact !== null) return { kind: 'permitted', use: exact };
  if (isAssessable(request) && asked.body.findings === undefined) return { kind: 'wants-findings' };
  if (judged === null) return null;
  const { cwd, confinementLevel } = proposalPlaceOf(request.cwd, asked.body.findings ?? null);
  const { assessment } = judged;
  const line = { requesterId, request, fingerprint: asked.fingerprint, assessment, cwd, confinementLevel };
  const covered = await useStandingGrants(rows, parts.standing, line, nowMs);
  return covered === null ? null : { kind: 'permitted', use: covered };
}

/** Uses the first covering grant that nobody else uses up meanwhile. */
async function useCovering(rows: StoreWriter, asked: Asked, nowMs: number): Promise<Use | null> {
  const { requesterId, request, fingerprint } = asked;
  for (;;) {
    // A scope for commands has conditions of its own, and is only used where they are looked at.
    const exact = (await rows.coveringGrants(requesterId, fingerprint, nowMs)).filter(
      ({ scope }) => !isForCommands(scope),
    );
    const [grant] = [...exact, ...(await reachingGrants(rows, requesterId, request, nowMs))].sort(compareForUse);
    if (grant === undefined) return null;
    const outcome = await useGrant(rows, grant, nowMs, (used) => factsOfUse(used, request, fingerprint));
    if (outcome !== 'overtaken') return outcome === 'used' ? useOf(grant, fingerprint) : null;
  }
}

/** The approvals whose path prefix reaches all of this request. */
async function reachingGrants(rows: StoreWriter, requesterId: string, request: ExecutionRequest, nowMs: number) {
  if (request.kind !== 'file') return [];
  const scoped = await rows.scopedGrants(requesterId, nowMs);
  return scoped.filter(({ scope, request: asked }) => isForFiles(scope) && scopeReaches(scope, asked, request));
}

async function fileRequest(rows: StoreWriter, asked: Asked, id: string, nowMs: number): Promise<AskOutcome> {
  const { requester, fingerprint, body } = asked;
  const waiting = await rows.pendingGrant(requester.id, fingerprint, nowMs);
  if (waiting !== undefined) {
    rows.record(grantEvent('grant.repeated', waiting, requester.id, nowMs));
    return { kind: 'pending', filed: false, grant: waiting };
  }
  if ((await rows.countPending(requester.id, nowMs)) >= MAX_PENDING_PER_REQUESTER)
    return {
      kind: 'refused',
      refusal: refusal('server.busy', `${MAX_PENDING_PER_REQUESTER} requests wait already; withdraw some`),
    };
  const grant = newGrant(id, requester, body, fingerprint, nowMs);
  await rows.insertGrant(grant, isAssessable(body.request) ? body.findings : null);
  rows.record(grantEvent('grant.requested', grant, requester.id, nowMs, { fingerprint }));
  return { kind: 'pending', filed: true, grant };
}

function newGrant(id: string, requester: Subject, body: AskBody, fingerprint: string, nowMs: number): Grant {
  return {
    id,
    version: 1,
    state: 'pending',
    requesterId: requester.id,
    requesterName: requester.name,
    request: body.request,
    fingerprint,
    reason: body.reason ?? null,
    proposedTerm: body.proposedTerm ?? { kind: 'once' },
    term: null,
    scope: null,
    confinement: null,
    touches: body.touches ?? null,
    createdAtMs: nowMs,
    expiresAtMs: nowMs + PENDING_LIFETIME_MS,
    decidedAtMs: null,
    decidedBy: null,
    denyReason: null,
    usedAtMs: null,
    uses: 0,
    revokedAtMs: null,
  };
}
