/** Changes a filed grant. A requester uses or withdraws a grant, or ends a plan. An approver approves, denies or revokes a grant. */
import { confinementOrNull } from '../../core/confinement/confinement.ts';
import { type AuditFacts, type AuditKind, grantEvent } from '../../core/grant/audit-event.ts';
import {
  type Grant,
  type GrantEvent,
  hasNeededSeal,
  isForCommands,
  stateAt,
  transition,
} from '../../core/grant/grant.ts';
import { failed, type Result, success } from '../../core/result.ts';
import type { GrantScope } from '../../core/scope/command-scope.ts';
import { leastLevel, scopeFactsOf } from '../../core/scope/conditions.ts';
import { coverAndConfine } from '../../core/scope/confine-covered.ts';
import { isWithinHours } from '../../core/scope/hours.ts';
import { scopeTitle } from '../../core/scope/scope-title.ts';
import type { StoreWriter, Subject } from '../../store/store.ts';
import { type Refusal, refusal, wrongState } from '../refusal.ts';
import { change, type ServerParts } from '../server-ports.ts';
import { type GrantLine, lineOf } from './about-line.ts';
import { applyPolicy, refuseByPolicy } from './apply-policy.ts';
import { approvalAuthority, denialRefusal } from './approval-authority.ts';
import { eventOfCommand, type GrantCommand } from './grant-command.ts';
import { asksForMatch, matchRefusal } from './match-check.ts';
import { withApprovedDeciding } from './newly-deciding.ts';
import { stoppedRefusal } from './pauses.ts';
import { withApproval } from './quorum.ts';
import { sealRefusal, unsealedRefusal, withSealerName } from './seal-approval.ts';
import { confinementFacts, cutText } from './use.ts';
import { noSuchGrant, visibleGrant } from './visible-grant.ts';

const KIND: Readonly<Record<GrantEvent['kind'], AuditKind>> = {
  approve: 'grant.approved',
  deny: 'grant.denied',
  withdraw: 'grant.withdrawn',
  use: 'grant.used',
  revoke: 'grant.revoked',
  finish: 'plan.finished',
};

/** An approval that leaves the grant pending is one of the several approvals that the grant needs. */
const kindOf = ({ kind }: GrantEvent, { state }: Grant): AuditKind =>
  kind === 'approve' && state === 'pending' ? 'grant.part_approved' : KIND[kind];

/**
 * Reads the grant, decides, writes and records, in one transaction. Records refusals, too, except in these cases:
 * - the caller may not see the grant, or there is no such grant
 * - the approver must pick a number (`matchRefusal`), but picked no number, or the request has no number yet
 * - the number is wrong, but the server does not count this pick, because another wrong pick of the request came at the same moment
 *
 * After a use of a grant with a scope, `confinement` of the result is for one permit only and is not stored.
 * @param grantId the whole id
 */
export function changeGrant(
  parts: ServerParts,
  by: Subject,
  grantId: string,
  command: GrantCommand,
): Promise<Result<Grant, Refusal>> {
  return change(parts, async (rows) => {
    const visible = await visibleGrant(rows, grantId, by);
    if (!visible.ok) return visible;
    await rows.lockRequest(visible.value.requesterId, visible.value.fingerprint);
    return attempt(parts, rows, by, grantId, command);
  });
}

async function attempt(
  parts: ServerParts,
  rows: StoreWriter,
  by: Subject,
  grantId: string,
  command: GrantCommand,
): Promise<Result<Grant, Refusal>> {
  const nowMs = parts.clock.nowMs();
  const grant = await rows.grant(grantId);
  if (grant === undefined) return failed(noSuchGrant);
  const event = await eventOfCommand(await withSealerName(rows, command), by, grant, rows, parts, nowMs);
  const refuse = (refused: Refusal): Result<never, Refusal> => {
    const facts = { wanted: event.kind, code: refused.code, state: stateAt(grant, nowMs) };
    rows.record(grantEvent('grant.refused', grant, by.id, nowMs, facts));
    return failed(refused);
  };
  const next = grantAfterEvent(grant, command, event, nowMs);
  if (!next.ok) return refuse(next.failure);
  if (command.kind === 'deny') {
    const beyond = await denialRefusal(rows, by, grant, nowMs);
    if (beyond !== null) return refuse(beyond);
  }
  const authority =
    command.kind === 'approve' ? await approvalAuthority(parts, rows, by, grant, command.scope, nowMs) : null;
  if (authority !== null && !authority.ok) return refuse(authority.failure);
  const unfit =
    event.kind === 'approve'
      ? (unsealedRefusal(grant, event) ?? (await sealRefusal(parts, rows, by, next.value, nowMs)))
      : null;
  if (unfit !== null) return refuse(unfit);
  const line = onceRead(parts, rows, grant, command);
  if (command.kind === 'approve' && (command.isByTap || command.match !== null)) {
    if (asksForMatch(grant, await line(), parts)) {
      const refused = await matchRefusal(parts, rows, by, grant, command.match);
      if (refused !== null) return failed(refused);
    }
  }
  if (command.kind === 'use') {
    if (isForCommands(grant.scope) && command.hostFacts === null)
      return refuse(refusal('scope.not_covering', FACTS_MISSING, grant));
    const stopped = await stoppedRefusal(rows, grant.requesterId);
    if (stopped !== null) return refuse(stopped);
    const forbidden = await forbiddenUse(parts, rows, grant, line, nowMs);
    if (forbidden !== null) return failed(forbidden);
  }
  const stored =
    authority === null
      ? next.value
      : withApprovedDeciding(await withApproval(rows, grant, next.value, by, authority.value, nowMs));
  const changed = event.kind === 'use' ? await confinedByScope(stored, line, nowMs) : stored;
  if (changed === null) return refuse(refusal('scope.not_covering', SCOPE_TOO_NARROW, grant));
  if (!(await rows.replaceGrant(stored))) return attempt(parts, rows, by, grantId, command);
  rows.record(
    grantEvent(kindOf(event, changed), changed, by.id, nowMs, { ...factsOf(event, changed), ...decider(event, by) }),
  );
  return success(changed);
}

/**
 * Returns a refusal if a rule forbids this use, else null. The rule may be newer than the approval. If a rule needs
 * host facts that are missing, the rule does not forbid the use, because a human has approved exactly this request.
 */
async function forbiddenUse(
  parts: ServerParts,
  rows: StoreWriter,
  grant: Grant,
  line: () => Promise<GrantLine>,
  nowMs: number,
): Promise<Refusal | null> {
  await parts.standing.catchUp(rows);
  if (!parts.standing.hasDenies) return null;
  const { requesterId, request } = grant;
  const { assessment } = await line();
  const policy = await applyPolicy(parts, rows, { requesterId, request, assessment });
  return policy.kind === 'forbidden' ? refuseByPolicy(rows, policy.rule, grant, nowMs) : null;
}

/**
 * Returns a function that reads the line of a grant at its first call, and keeps the line. For a use of a grant with a scope, the line is
 * read with the host facts of this use.
 */
function onceRead(
  parts: ServerParts,
  rows: StoreWriter,
  grant: Grant,
  command: GrantCommand,
): () => Promise<GrantLine> {
  let line: Promise<GrantLine> | null = null;
  const hostFacts = command.kind === 'use' && isForCommands(grant.scope) ? command.hostFacts : null;
  return () => {
    line ??= lineOf(parts, rows, grant, hostFacts);
    return line;
  };
}

const SCOPE_TOO_NARROW = 'the scope of this grant does not cover its own request any more; ask for it again';
const FACTS_MISSING = 'a use of a grant with a scope needs the present host facts; ask for the same command again';

/**
 * Confines every use of a grant with a scope to that scope, because the approver has seen the scope. A use by the grant's id is confined
 * too. The host's files may have changed since the approval, so this function checks the coverage with the host facts of this use. The
 * result is for one permit and is not stored. Returns null if the scope does not cover the line.
 */
async function confinedByScope(grant: Grant, line: () => Promise<GrantLine>, nowMs: number): Promise<Grant | null> {
  const { scope, request } = grant;
  if (!isForCommands(scope)) return grant;
  const { assessment, place } = await line();
  const { requiredPermissions = null, opaque = [] } = assessment ?? {};
  if (requiredPermissions === null || opaque.length > 0) return null;
  const facts = scopeFactsOf(request, nowMs, place.cwd, place.confinementLevel);
  const coverage = coverAndConfine(requiredPermissions, [{ grantId: grant.id, scope }], facts);
  return coverage.kind === 'covered' ? { ...grant, confinement: confinementOrNull(coverage.confinement) } : null;
}

/** Whether the hours of the scope forbid a use now. The hours limit every use, even a use by the grant's id. */
const isOutsideHours = ({ scope }: Grant, nowMs: number): boolean =>
  isForCommands(scope) && scope.conditions.hours !== null && !isWithinHours(scope.conditions.hours, nowMs);

const BY_PARTS = 'a plan cannot be run by its id (run its lines), and only a plan can be ended with `done`';

const SCOPE_CODE = {
  unfit: 'scope.unfit',
  forbidden: 'scope.forbidden',
  'not-covering': 'scope.not_covering',
} as const;

/** Returns the grant after the event, or the refusal of the event. Stores nothing, and does not check who gives the command. */
export function grantAfterEvent(
  grant: Grant,
  command: GrantCommand,
  event: GrantEvent,
  nowMs: number,
): Result<Grant, Refusal> {
  if (command.kind === 'use' && command.fingerprint !== grant.fingerprint)
    return failed(refusal('grant.fingerprint_mismatch', 'this grant was given for something else', grant));
  const next = transition(grant, event, nowMs);
  if (!next.ok && next.failure.kind === 'wrong-state') return failed(wrongState(next.failure.state, grant));
  if ('version' in command && command.version !== grant.version && !isLateDenial(grant, command))
    return failed(refusal('grant.stale', 'this grant changed since it was shown; look again', grant));
  if (!next.ok && next.failure.kind === 'scope')
    return failed(refusal(SCOPE_CODE[next.failure.fault.code], next.failure.fault.message, grant));
  if (!next.ok && next.failure.kind === 'by-parts') return failed(refusal('plan.by_parts', BY_PARTS, grant));
  if (!next.ok)
    return failed(refusal('term.over', 'the end of this approval is in the past; choose a later end', grant));
  if (command.kind === 'use' && !hasNeededSeal(grant, command.isSealedOnly))
    return failed(
      refusal(
        'seal.required',
        'this grant was approved without a seal, and its host takes sealed approvals only',
        grant,
      ),
    );
  if (event.kind === 'use' && isOutsideHours(grant, nowMs))
    return failed(refusal('scope.not_covering', 'the hours of this grant do not allow a use now', grant));
  return next;
}

/**
 * Whether a denial counts although the grant has changed since the approver saw the grant. The request itself never changes. Only two
 * changes are possible: another person has approved meanwhile, or the requester has asked again and its host demands something new (such as
 * a seal). Neither change prevents a denial.
 */
const isLateDenial = ({ version }: Grant, command: GrantCommand): boolean =>
  command.kind === 'deny' && command.version < version;

function factsOfScope(scope: GrantScope | null): AuditFacts {
  if (scope === null) return {};
  if (isForCommands(scope))
    return { scope: cutText(scopeTitle(scope)), mostUses: scope.mostUses, confinement: leastLevel(scope.conditions) };
  if ('kind' in scope) return { scope: cutText(scopeTitle(scope)) };
  return { operations: scope.operations.join(' '), pathPrefix: scope.pathPrefix };
}

/** Records the present name of the person who decided, because an id means nothing to readers. */
const decider = ({ kind }: GrantEvent, { name, role }: Subject): AuditFacts =>
  kind === 'approve' || kind === 'deny' || kind === 'revoke'
    ? { by: name, ...(role === 'break-glass' ? { breakGlass: true } : {}) }
    : {};

const sealFacts = ({ sealed }: Extract<GrantEvent, { kind: 'approve' }>): AuditFacts => ({
  sealedBy: sealed?.by ?? null,
  sealKey: sealed?.seal.keyId ?? null,
});

const quorumFacts = ({ approvals }: Grant): AuditFacts =>
  approvals === undefined
    ? {}
    : {
        approvals: approvals.given.length,
        needed: approvals.needed,
        approvedBy: cutText(approvals.given.map(({ name }) => name).join(', ')),
      };

function factsOf(event: GrantEvent, grant: Grant): AuditFacts {
  if (event.kind === 'approve')
    return {
      term: event.term.kind,
      untilMs: event.term.kind === 'timed' ? event.term.untilMs : null,
      ...factsOfScope(grant.approvals?.scope ?? grant.scope),
      ...confinementFacts(grant),
      ...sealFacts(event),
      ...quorumFacts(grant),
    };
  if (event.kind === 'deny') return { reason: event.reason };
  return event.kind === 'use' ? { uses: grant.uses, ...confinementFacts(grant) } : {};
}
