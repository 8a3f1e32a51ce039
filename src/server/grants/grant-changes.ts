/** Every other change of a grant: the requester redeems or withdraws, the approver approves, denies or revokes. */
import { type AuditFacts, type AuditKind, grantEvent } from '../../core/audit-event.ts';
import type { Failure } from '../../core/failure.ts';
import { type Grant, type GrantEvent, isForCommands, stateAt, transition } from '../../core/grant.ts';
import type { Result } from '../../core/result.ts';
import type { GrantScope } from '../../core/scope/command-scope.ts';
import { leastLevel } from '../../core/scope/conditions.ts';
import { confineUnder } from '../../core/scope/confine-covered.ts';
import { isWithinHours } from '../../core/scope/hours.ts';
import { proposalPlaceOf } from '../../core/scope/propose.ts';
import { scopeTitle } from '../../core/scope/scope-title.ts';
import type { StoreWriter, Subject } from '../../store/store.ts';
import { type Refusal, refusal, wrongState } from '../refusal.ts';
import { change, type ServerParts } from '../server-ports.ts';
import { judgeRequest } from './judging.ts';
import { cutText, heldFacts } from './use.ts';
import { recordVeto, vetoOf } from './veto.ts';

export type ChangeOutcome =
  | { readonly kind: 'changed'; readonly grant: Grant }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

const KIND: Readonly<Record<GrantEvent['kind'], AuditKind>> = {
  approve: 'grant.approved',
  deny: 'grant.denied',
  withdraw: 'grant.withdrawn',
  use: 'grant.used',
  revoke: 'grant.revoked',
};

/**
 * @property version     what the approver was shown; anything newer refuses. null: the requester's changes do not depend on it
 * @property fingerprint must be the grant's, when given
 */
export interface WantedChange {
  readonly grantId: string;
  readonly by: Subject;
  readonly version: number | null;
  readonly fingerprint?: string;
  /** Made of the grant as it is in the transaction. */
  readonly event: (nowMs: number, grant: Grant, rows: StoreWriter) => GrantEvent | Promise<GrantEvent>;
}

/** In one transaction: look, judge, write, record. A refusal is recorded as well. */
export async function changeGrant(parts: ServerParts, wanted: WantedChange): Promise<Result<ChangeOutcome, Failure>> {
  return change(parts, async (rows): Promise<ChangeOutcome> => {
    const seen = await rows.grant(wanted.grantId);
    if (seen === undefined) return { kind: 'refused', refusal: refusal('grant.not_found', 'there is no such grant') };
    if (wanted.by.role === 'requester' && seen.requesterId !== wanted.by.id)
      return { kind: 'refused', refusal: refusal('grant.not_yours', 'this grant belongs to another requester') };
    await rows.lockRequest(seen.requesterId, seen.fingerprint);
    return attempt(parts, rows, wanted);
  });
}

async function attempt(parts: ServerParts, rows: StoreWriter, wanted: WantedChange): Promise<ChangeOutcome> {
  const nowMs = parts.clock.nowMs();
  const grant = await rows.grant(wanted.grantId);
  if (grant === undefined) return { kind: 'refused', refusal: refusal('grant.not_found', 'there is no such grant') };
  const event = await wanted.event(nowMs, grant, rows);
  const next = judge(grant, wanted, event, nowMs);
  if (next.kind === 'refused') return refuse(rows, wanted, event, grant, next.refusal, nowMs);
  if (event.kind === 'use') {
    const forbidden = await forbiddenUse(parts, rows, grant, nowMs);
    if (forbidden !== null) return { kind: 'refused', refusal: forbidden };
  }
  const changed = event.kind === 'use' ? await heldByScope(parts, rows, next.grant) : next.grant;
  if (changed === null) return refuse(rows, wanted, event, grant, refusal('scope.not_covering', UNHELD, grant), nowMs);
  if (!(await rows.replaceGrant(next.grant))) return attempt(parts, rows, wanted);
  rows.record(grantEvent(KIND[event.kind], changed, wanted.by.id, nowMs, factsOf(event, changed)));
  return { kind: 'changed', grant: changed };
}

/**
 * A rule that was made after the approval forbids as well. A human who approved exactly this while such a rule was there,
 * though nobody had looked up whether it is meant, has decided that.
 */
async function forbiddenUse(
  parts: ServerParts,
  rows: StoreWriter,
  grant: Grant,
  nowMs: number,
): Promise<Refusal | null> {
  const { requesterId, request, fingerprint } = grant;
  await parts.standing.inStep(rows);
  if (!parts.standing.hasDenies) return null;
  const hostFacts = await rows.findings(grant.id);
  const judged = hostFacts === null ? null : await judgeRequest(parts.rules, request, hostFacts);
  const veto = await vetoOf(parts.standing, parts.rules, requesterId, request, judged);
  return veto.kind === 'forbidden' ? recordVeto(rows, veto.rule, { requesterId, request, fingerprint }, nowMs) : null;
}

const UNHELD = 'nothing says what the scope of this grant holds its own request to; ask for it again';

/**
 * A grant with a scope is held to that scope in every use, also where its own request is run by the grant's id: the card said
 * so, and the files that the request runs may have changed since. Made for one permit and not
 * stored: the scope counts. Null: the line is not one that its scope covers.
 */
async function heldByScope(parts: ServerParts, rows: StoreWriter, grant: Grant): Promise<Grant | null> {
  const { scope, request } = grant;
  if (!isForCommands(scope)) return grant;
  const hostFacts = await rows.findings(grant.id);
  const { demands: requiredPermissions = null, opaque = [] } =
    (await judgeRequest(parts.rules, request, hostFacts))?.assessment ?? {};
  if (requiredPermissions === null || opaque.length > 0) return null;
  const { confinementLevel } = proposalPlaceOf(request.cwd, hostFacts);
  const confinement = confineUnder(scope, requiredPermissions, confinementLevel);
  if (confinement === null) return null;
  return { ...grant, confinement: confinement.level === 0 ? null : confinement };
}

/** Hours are for every use, also for one that is asked for by the grant's id. */
const isOutsideHours = ({ scope }: Grant, nowMs: number): boolean =>
  isForCommands(scope) && scope.conditions.hours !== null && !isWithinHours(scope.conditions.hours, nowMs);

const SCOPE_CODE = {
  unfit: 'scope.unfit',
  forbidden: 'scope.forbidden',
  'not-covering': 'scope.not_covering',
} as const;

function judge(grant: Grant, wanted: WantedChange, event: GrantEvent, nowMs: number): ChangeOutcome {
  if (wanted.fingerprint !== undefined && wanted.fingerprint !== grant.fingerprint)
    return {
      kind: 'refused',
      refusal: refusal('grant.fingerprint_mismatch', 'this grant was given for something else', grant),
    };
  const next = transition(grant, event, nowMs);
  if (!next.ok && next.failure.kind === 'wrong-state')
    return { kind: 'refused', refusal: wrongState(next.failure.state, grant) };
  if (wanted.version !== null && wanted.version !== grant.version)
    return {
      kind: 'refused',
      refusal: refusal('grant.stale', 'this grant changed since it was shown; look again', grant),
    };
  if (!next.ok && next.failure.kind === 'scope')
    return {
      kind: 'refused',
      refusal: refusal(SCOPE_CODE[next.failure.fault.kind], next.failure.fault.message, grant),
    };
  if (!next.ok)
    return { kind: 'refused', refusal: refusal('term.over', 'the end of this approval is already over', grant) };
  if (event.kind === 'use' && isOutsideHours(grant, nowMs))
    return {
      kind: 'refused',
      refusal: refusal('scope.not_covering', 'this grant is not good at this hour', grant),
    };
  return { kind: 'changed', grant: next.value };
}

function refuse(
  rows: StoreWriter,
  wanted: WantedChange,
  event: GrantEvent,
  grant: Grant,
  refused: Refusal,
  nowMs: number,
): ChangeOutcome {
  const facts = { wanted: event.kind, code: refused.code, state: stateAt(grant, nowMs) };
  rows.record(grantEvent('grant.refused', grant, wanted.by.id, nowMs, facts));
  return { kind: 'refused', refusal: refused };
}

function factsOfScope(scope: GrantScope | null): AuditFacts {
  if (scope === null) return {};
  if ('kind' in scope)
    return { scope: cutText(scopeTitle(scope)), mostUses: scope.mostUses, confinement: leastLevel(scope.conditions) };
  return { operations: scope.operations.join(' '), pathPrefix: scope.pathPrefix };
}

function factsOf(event: GrantEvent, grant: Grant): AuditFacts {
  if (event.kind === 'approve')
    return {
      term: event.term.kind,
      untilMs: event.term.kind === 'timed' ? event.term.untilMs : null,
      ...factsOfScope(grant.scope),
      ...heldFacts(grant),
    };
  if (event.kind === 'deny') return { reason: event.reason };
  return event.kind === 'use' ? { uses: grant.uses, ...heldFacts(grant) } : {};
}
