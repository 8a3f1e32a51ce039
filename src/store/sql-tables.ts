/**
 * Rows of the SQL tables, and conversions to and from the types of the store. Times are Unix ms; JSON is text. If a member of a type is
 * null or absent, its column is null.
 */

import { randomUUID } from 'node:crypto';
import type { Confinement } from '../core/confinement/confinement.ts';
import type { AuditEvent, AuditFacts, AuditKind, StoredAuditEvent } from '../core/grant/audit-event.ts';
import { expiryAtMs, type Grant, type StoredState, type Term } from '../core/grant/grant.ts';
import type { ExecutionRequest } from '../core/grant/request.ts';
import type { Impact } from '../core/impact/impact.ts';
import type { Policy } from '../core/policy/policy.ts';
import type { GrantScope } from '../core/scope/command-scope.ts';
import type { PinPlace } from '../core/sealed/pin-place-text.ts';
import type { Approvals } from '../core/wire/approvals.ts';
import type { SealedDecision, SealedPolicy } from '../core/wire/sealed.ts';
import type { IdempotencyRow } from './idempotency-rows.ts';
import type { KeyRequestRow, ReplacedKeyRow } from './key-rows.ts';
import { cutRequest } from './listed-request.ts';
import type { MatchRow } from './match-rows.ts';
import type { NotificationTables } from './notification-tables.ts';
import type { PasskeyRow, RecoveryCodeRow } from './passkey-tables.ts';
import type { PauseRow } from './pause-rows.ts';
import type { RemovedRow } from './retention-rows.ts';
import type { SessionRow } from './session-rows.ts';
import type { Enrolment, Role, Subject } from './store.ts';

export interface SubjectRow {
  id: string;
  role: 'requester' | 'approver';
  duty: string | null;
  name: string;
  host: string;
  user_name: string;
  public_key: string | null;
  created_at_ms: number;
  revoked_at_ms: number | null;
}

export interface EnrolmentRow {
  id: string;
  state: Enrolment['state'];
  name: string;
  host: string;
  user_name: string;
  public_key: string;
  commitment: string | null;
  nonce: string | null;
  created_at_ms: number;
  expires_at_ms: number;
  decided_at_ms: number | null;
  decided_by: string | null;
  requester_id: string | null;
}

export interface CredentialRow {
  hash: string;
  subject_id: string;
  created_at_ms: number;
  expires_at_ms: number;
}

/**
 * @property sealed_by    the id of the key that made the seal, so that a query can find all seals of this key
 * @property sealed_only  1 if the host demands a seal
 * @property pin          null if the host did not say where its pin is
 * @property lapses_at_ms the expiry (`expiryAtMs`), stored so that lists can use an index
 * @property part_uses    set only for plans
 * @property brief        the shortened request for lists; null: the request is short enough for lists, or the row is older than this column
 * @property cut_from     the size in bytes of the whole request and its impact preview together; null if `brief` is null
 */
export interface GrantRow {
  id: string;
  version: number;
  state: StoredState;
  requester_id: string;
  requester_name: string;
  request: string;
  fingerprint: string;
  reason: string | null;
  proposed_term: string;
  term_kind: Term['kind'] | null;
  term_until_ms: number | null;
  scope: string | null;
  touches: string | null;
  confinement: string | null;
  sealed: string | null;
  sealed_by: string | null;
  sealed_only: number | null;
  pin: PinPlace | null;
  batches: number | null;
  approvals: string | null;
  created_at_ms: number;
  expires_at_ms: number;
  lapses_at_ms: number | null;
  decided_at_ms: number | null;
  decided_by: string | null;
  deny_reason: string | null;
  used_at_ms: number | null;
  uses: number;
  revoked_at_ms: number | null;
  part_uses: string | null;
  brief: string | null;
  cut_from: number | null;
  approved_deciding: string | null;
}

export interface PolicyRow {
  id: string;
  effect: Policy['effect'];
  requester_id: string | null;
  rule: string;
  reason: string;
  created_by: string;
  created_at_ms: number;
  ended_at_ms: number | null;
  uses: number;
  sealed: string | null;
  sealed_by: string | null;
}

/** @property prev_hash always null, like `hash`: the events are not chained yet */
export interface EventRow {
  seq: number;
  at_ms: number;
  kind: AuditKind;
  actor_id: string | null;
  grant_id: string | null;
  enrolment_id: string | null;
  facts: string;
  prev_hash: string | null;
  hash: string | null;
}

/** The columns that an event has before it gets its number. */
export type EventColumns = Omit<EventRow, 'seq' | 'prev_hash' | 'hash'>;

/** A committed event that has no number yet. `id` begins with the time of the event. Events get numbers in the order of `id`. */
export interface UnnumberedEventRow extends EventColumns {
  id: string;
}

export interface Tables extends NotificationTables {
  schema_version: { version: number };
  subjects: SubjectRow;
  enrolments: EnrolmentRow;
  tokens: CredentialRow;
  sessions: SessionRow;
  owner_links: CredentialRow & { used_at_ms: number | null };
  passkeys: PasskeyRow;
  recovery_codes: RecoveryCodeRow;
  owner_settings: { name: string; value: string };
  idempotent_calls: IdempotencyRow;
  spent_challenges: { hash: string; expires_at_ms: number };
  grants: GrantRow;
  grant_findings: { grant_id: string; findings: string };
  grant_matches: MatchRow;
  requester_pauses: PauseRow;
  replaced_keys: ReplacedKeyRow;
  key_requests: KeyRequestRow;
  policies: PolicyRow;
  approver_lists: { sequence: number; list: string };
  events: EventRow;
  unnumbered_events: UnnumberedEventRow;
  event_head: { id: number; seq: number };
  removed_rows: RemovedRow;
}

export const subjectOf = (row: SubjectRow): Subject => ({
  id: row.id,
  role: roleOf(row),
  name: row.name,
  host: row.host,
  user: row.user_name,
  publicKey: row.public_key,
  createdAtMs: row.created_at_ms,
  revokedAtMs: row.revoked_at_ms,
});

/**
 * `duty` restricts the role `approver`. Older programs do not read `duty`: they treat a subject with a duty as an approver. An unknown
 * `duty` gives the rights of an auditor, which are the fewest rights.
 */
function roleOf({ role, duty }: SubjectRow): Role {
  if (duty === null) return role;
  return duty === 'break-glass' ? 'break-glass' : 'auditor';
}

export const dutyOf = (role: Role): string | null => (role === 'auditor' || role === 'break-glass' ? role : null);

export const subjectRow = (subject: Subject): SubjectRow => ({
  id: subject.id,
  role: subject.role === 'requester' ? 'requester' : 'approver',
  duty: dutyOf(subject.role),
  name: subject.name,
  host: subject.host,
  user_name: subject.user,
  public_key: subject.publicKey,
  created_at_ms: subject.createdAtMs,
  revoked_at_ms: subject.revokedAtMs,
});

export const enrolmentOf = (row: EnrolmentRow): Enrolment => ({
  id: row.id,
  state: row.state,
  name: row.name,
  host: row.host,
  user: row.user_name,
  publicKey: row.public_key,
  commitment: row.commitment,
  nonce: row.nonce,
  createdAtMs: row.created_at_ms,
  expiresAtMs: row.expires_at_ms,
  decidedAtMs: row.decided_at_ms,
  decidedBy: row.decided_by,
  requesterId: row.requester_id,
});

export const enrolmentRow = (enrolment: Enrolment): EnrolmentRow => ({
  id: enrolment.id,
  state: enrolment.state,
  name: enrolment.name,
  host: enrolment.host,
  user_name: enrolment.user,
  public_key: enrolment.publicKey,
  commitment: enrolment.commitment,
  nonce: enrolment.nonce,
  created_at_ms: enrolment.createdAtMs,
  expires_at_ms: enrolment.expiresAtMs,
  decided_at_ms: enrolment.decidedAtMs,
  decided_by: enrolment.decidedBy,
  requester_id: enrolment.requesterId,
});

export function grantOf(row: GrantRow): Grant {
  return {
    id: row.id,
    version: row.version,
    state: row.state,
    requesterId: row.requester_id,
    requesterName: row.requester_name,
    request: JSON.parse(row.request) as ExecutionRequest,
    fingerprint: row.fingerprint,
    reason: row.reason,
    proposedTerm: JSON.parse(row.proposed_term) as Term,
    term: termOf(row),
    scope: row.scope === null ? null : (JSON.parse(row.scope) as GrantScope),
    confinement: row.confinement === null ? null : (JSON.parse(row.confinement) as Confinement),
    touches: row.touches === null ? null : (JSON.parse(row.touches) as readonly Impact[]),
    createdAtMs: row.created_at_ms,
    expiresAtMs: row.expires_at_ms,
    decidedAtMs: row.decided_at_ms,
    decidedBy: row.decided_by,
    denyReason: row.deny_reason,
    usedAtMs: row.used_at_ms,
    uses: row.uses,
    revokedAtMs: row.revoked_at_ms,
    ...(row.part_uses === null ? {} : { partUses: JSON.parse(row.part_uses) as readonly number[] }),
    ...(row.sealed === null ? {} : { sealed: JSON.parse(row.sealed) as SealedDecision }),
    ...(row.sealed_only === 1 ? { sealedOnly: true as const } : {}),
    ...(row.pin === null ? {} : { pin: row.pin }),
    ...(row.batches === 1 ? { batches: true as const } : {}),
    ...(row.approvals === null ? {} : { approvals: JSON.parse(row.approvals) as Approvals }),
    ...(row.approved_deciding === null ? {} : { approvedDeciding: row.approved_deciding }),
  };
}

/** A timed term without an end gives null: `stateAt` treats an approval without a term as expired. */
function termOf(row: GrantRow): Term | null {
  if (row.term_kind === null) return null;
  if (row.term_kind !== 'timed') return { kind: row.term_kind };
  return row.term_until_ms === null ? null : { kind: 'timed', untilMs: row.term_until_ms };
}

export function grantRow(grant: Grant): GrantRow {
  const cut = cutRequest(grant.request, grant.touches);
  return {
    brief: cut === null ? null : JSON.stringify(cut.request),
    cut_from: cut?.cutFrom ?? null,
    id: grant.id,
    requester_id: grant.requesterId,
    requester_name: grant.requesterName,
    request: JSON.stringify(grant.request),
    fingerprint: grant.fingerprint,
    reason: grant.reason,
    proposed_term: JSON.stringify(grant.proposedTerm),
    touches: grant.touches === null ? null : JSON.stringify(grant.touches),
    ...changingColumns(grant),
    created_at_ms: grant.createdAtMs,
  };
}

/** The columns that a change of state can write. A change never writes the request: only the insertion of the row writes it. */
export const changingColumnNames = [
  'version',
  'state',
  'term_kind',
  'term_until_ms',
  'scope',
  'confinement',
  'sealed',
  'sealed_by',
  'sealed_only',
  'pin',
  'batches',
  'approvals',
  'expires_at_ms',
  'lapses_at_ms',
  'decided_at_ms',
  'decided_by',
  'deny_reason',
  'used_at_ms',
  'uses',
  'revoked_at_ms',
  'part_uses',
  'approved_deciding',
] as const satisfies readonly (keyof GrantRow)[];

/** Every column of a grant. */
export const grantColumnNames = [
  'id',
  'requester_id',
  'requester_name',
  'request',
  'fingerprint',
  'reason',
  'proposed_term',
  'touches',
  'created_at_ms',
  'brief',
  'cut_from',
  ...changingColumnNames,
] as const satisfies readonly (keyof GrantRow)[];

export function changingColumns(grant: Grant): Pick<GrantRow, (typeof changingColumnNames)[number]> {
  return {
    version: grant.version,
    state: grant.state,
    term_kind: grant.term?.kind ?? null,
    term_until_ms: grant.term?.kind === 'timed' ? grant.term.untilMs : null,
    scope: grant.scope === null ? null : JSON.stringify(grant.scope),
    confinement: grant.confinement === null ? null : JSON.stringify(grant.confinement),
    sealed: grant.sealed === undefined ? null : JSON.stringify(grant.sealed),
    sealed_by: grant.sealed?.seal.keyId ?? null,
    sealed_only: grant.sealedOnly === true ? 1 : null,
    pin: grant.pin ?? null,
    batches: grant.batches === true ? 1 : null,
    approvals: grant.approvals === undefined ? null : JSON.stringify(grant.approvals),
    expires_at_ms: grant.expiresAtMs,
    lapses_at_ms: expiryAtMs(grant),
    decided_at_ms: grant.decidedAtMs,
    decided_by: grant.decidedBy,
    deny_reason: grant.denyReason,
    used_at_ms: grant.usedAtMs,
    uses: grant.uses,
    revoked_at_ms: grant.revokedAtMs,
    part_uses: grant.partUses === undefined ? null : JSON.stringify(grant.partUses),
    approved_deciding: grant.approvedDeciding ?? null,
  };
}

/** Does not check the shape of `rule`: the server has checked each stored policy. */
export const policyOf = (row: PolicyRow): Policy =>
  ({
    id: row.id,
    effect: row.effect,
    requesterId: row.requester_id,
    rule: JSON.parse(row.rule) as unknown,
    reason: row.reason,
    createdBy: row.created_by,
    createdAtMs: row.created_at_ms,
    endedAtMs: row.ended_at_ms,
    uses: row.uses,
    ...(row.sealed === null ? {} : { sealed: JSON.parse(row.sealed) as SealedPolicy }),
  }) as Policy;

export const policyRow = (policy: Policy): PolicyRow => ({
  ...sealColumns(policy),
  id: policy.id,
  effect: policy.effect,
  requester_id: policy.requesterId,
  rule: JSON.stringify(policy.rule),
  reason: policy.reason,
  created_by: policy.createdBy,
  created_at_ms: policy.createdAtMs,
  ended_at_ms: policy.endedAtMs,
  uses: policy.uses,
});

function sealColumns(policy: Policy): Pick<PolicyRow, 'sealed' | 'sealed_by'> {
  const sealed = policy.effect === 'allow-reading' ? policy.sealed : undefined;
  return sealed === undefined
    ? { sealed: null, sealed_by: null }
    : { sealed: JSON.stringify(sealed), sealed_by: sealed.seal.keyId };
}

export const eventOf = (row: EventRow): StoredAuditEvent => ({
  seq: row.seq,
  atMs: row.at_ms,
  kind: row.kind,
  actorId: row.actor_id,
  grantId: row.grant_id,
  enrolmentId: row.enrolment_id,
  facts: JSON.parse(row.facts) as AuditFacts,
  prevHash: row.prev_hash,
  hash: row.hash,
});

/** @param place the index of the event in its transaction; below 1,000 */
export const unnumberedRow = (event: AuditEvent, place: number): UnnumberedEventRow => ({
  id: `${String(event.atMs).padStart(15, '0')}-${String(place).padStart(3, '0')}-${randomUUID()}`,
  ...eventColumns(event),
});

export const eventColumns = (event: AuditEvent): EventColumns => ({
  at_ms: event.atMs,
  kind: event.kind,
  actor_id: event.actorId,
  grant_id: event.grantId,
  enrolment_id: event.enrolmentId,
  facts: JSON.stringify(event.facts),
});
