/**
 * The tables of the database. Each row is described in the file of its subject. Times are Unix ms; JSON is text. If a member of a type is
 * null or absent, its column is null.
 */
import type { EnrolmentRow } from './enrolment-rows.ts';
import type { EventRow, UnnumberedEventRow } from './event-rows.ts';
import type { GrantRow } from './grant-rows.ts';
import type { IdempotencyRow } from './idempotency-rows.ts';
import type { KeyRequestRow, ReplacedKeyRow } from './key-rows.ts';
import type { MatchRow } from './match-rows.ts';
import type { NotificationTables } from './notification-tables.ts';
import type { CredentialRow } from './owner-link-rows.ts';
import type { PasskeyRow, RecoveryCodeRow } from './passkey-tables.ts';
import type { PauseRow } from './pause-rows.ts';
import type { PolicyRow } from './policy-rows.ts';
import type { RemovedRow } from './retention-rows.ts';
import type { SessionRow } from './session-rows.ts';
import type { SubjectRow } from './subject-rows.ts';

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
