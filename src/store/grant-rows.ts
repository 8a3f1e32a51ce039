/** The row of a grant, and its conversions to and from `Grant`. */
import type { Confinement } from '../core/confinement/confinement.ts';
import { expiryAtMs, type Grant, type StoredState, type Term } from '../core/grant/grant.ts';
import type { ExecutionRequest } from '../core/grant/request.ts';
import type { Impact } from '../core/impact/impact.ts';
import type { GrantScope } from '../core/scope/command-scope.ts';
import type { PinPlace } from '../core/sealed/pin-place-text.ts';
import type { Approvals } from '../core/wire/approvals.ts';
import type { SealedDecision } from '../core/wire/sealed.ts';
import { cutRequest } from './listed-request.ts';

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
    scope: parsed<GrantScope>(row.scope),
    confinement: parsed<Confinement>(row.confinement),
    touches: parsed<readonly Impact[]>(row.touches),
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

const parsed = <T>(json: string | null): T | null => (json === null ? null : (JSON.parse(json) as T));

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
