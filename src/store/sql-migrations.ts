/** The schema as a list of steps, in SQL that SQLite and PostgreSQL both understand. A released step is never edited. */
import { type Kysely, PostgresAdapter, sql } from 'kysely';
import { NOTABLE_EVENT } from './notification-store.ts';
import { OTHER_EVENT } from './retention-rows.ts';
import type { Tables } from './sql-tables.ts';

/**
 * Selects the events that can change standing grants or policies. A query must have the same condition as the index `events_standing`:
 * else the database does not use the index.
 * From `record.cut`, a server learns that retention removed changes that the server has not read yet.
 */
export const STANDING_CHANGE =
  "kind in ('grant.approved', 'grant.revoked', 'policy.created', 'policy.ended', 'record.cut')";

/** Selects approvals without an end, for `grants_endless` and its query. SQLite uses this index only if the condition contains `state`. */
export const ENDLESS_APPROVAL = "state = 'approved' and lapses_at_ms is null";

/** @property postgres a statement that only PostgreSQL needs */
interface PostgresStatement {
  readonly postgres: string;
}

/** The step with index n changes schema version n to version n + 1. */
const STEPS: readonly (readonly (string | PostgresStatement)[])[] = [
  [
    `create table subjects (
      id text primary key, role text not null check (role in ('requester', 'approver')), name text not null, host text not null,
      user_name text not null, public_key text unique, created_at_ms bigint not null, revoked_at_ms bigint)`,
    `create table enrolments (
      id text primary key, state text not null, name text not null, host text not null, user_name text not null,
      public_key text not null, code text not null, created_at_ms bigint not null, expires_at_ms bigint not null,
      decided_at_ms bigint, decided_by text references subjects (id), requester_id text references subjects (id))`,
    `create index enrolments_waiting on enrolments (state, expires_at_ms)`,
    `create table tokens (
      hash text primary key, subject_id text not null references subjects (id), created_at_ms bigint not null, expires_at_ms bigint not null)`,
    `create table sessions (
      hash text primary key, subject_id text not null references subjects (id), created_at_ms bigint not null,
      expires_at_ms bigint not null, last_seen_at_ms bigint not null)`,
    `create table owner_links (
      hash text primary key, subject_id text not null references subjects (id), created_at_ms bigint not null,
      expires_at_ms bigint not null, used_at_ms bigint)`,
    `create table spent_challenges (hash text primary key, expires_at_ms bigint not null)`,
    `create table grants (
      id text primary key, version bigint not null, state text not null
        check (state in ('pending', 'approved', 'denied', 'withdrawn', 'used', 'revoked')),
      requester_id text not null references subjects (id), requester_name text not null, request text not null, fingerprint text not null,
      reason text, proposed_term text not null, term_kind text, term_until_ms bigint, created_at_ms bigint not null,
      expires_at_ms bigint not null, lapses_at_ms bigint, decided_at_ms bigint, decided_by text references subjects (id),
      deny_reason text, used_at_ms bigint, uses bigint not null, revoked_at_ms bigint)`,
    `create index grants_lookup on grants (requester_id, fingerprint, state)`,
    `create index grants_newest on grants (created_at_ms)`,
    `create index grants_lapsing on grants (state, lapses_at_ms)`,
    `create table events (
      seq bigint primary key, at_ms bigint not null, kind text not null, actor_id text, grant_id text, enrolment_id text,
      facts text not null, prev_hash text, hash text)`,
    `create index events_of_grant on events (grant_id, seq)`,
    `create table event_head (id bigint primary key check (id = 1), seq bigint not null)`,
    `insert into event_head (id, seq) values (1, 0)`,
  ],
  [
    `alter table grants add column scope text`,
    `create index grants_scoped on grants (requester_id, state) where scope is not null`,
  ],
  [
    `alter table grants add column touches text`,
    `create table grant_findings (grant_id text primary key references grants (id), findings text not null)`,
    `create index grants_of_requester on grants (requester_id, created_at_ms)`,
    `create table policies (
      id text primary key, effect text not null check (effect in ('deny', 'allow-reading')),
      requester_id text references subjects (id), rule text not null, reason text not null,
      created_by text not null references subjects (id), created_at_ms bigint not null, ended_at_ms bigint, uses bigint not null)`,
    `create index policies_live on policies (created_at_ms) where ended_at_ms is null`,
    `create index events_standing on events (seq)
      where kind in ('grant.approved', 'grant.revoked', 'policy.created', 'policy.ended')`,
    `create index events_uses on events (seq) where kind in ('grant.used', 'policy.used', 'policy.vetoed')`,
  ],
  [`alter table grants add column confinement text`],
  [`alter table grants add column brief text`, `alter table grants add column cut_from bigint`],
  [
    `create index grants_of_requester_lapsing on grants (requester_id, state, lapses_at_ms)`,
    `create index grants_of_requester_by_state on grants (requester_id, state, created_at_ms)`,
    `create index grants_by_state on grants (state, created_at_ms)`,
    `create index events_uses_newest on events (at_ms, seq) where kind in ('grant.used', 'policy.used', 'policy.vetoed')`,
    `drop index events_uses`,
  ],
  [
    `create table passkeys (
      id text primary key, subject_id text not null references subjects (id), rp_id text not null, credential_id text not null unique,
      public_key text not null, cose text not null, algorithm bigint not null, counter bigint not null, transports text not null,
      is_backed_up bigint not null, name text not null, created_at_ms bigint not null, last_used_at_ms bigint, copied_at_ms bigint,
      revoked_at_ms bigint)`,
    `create index passkeys_of on passkeys (subject_id, created_at_ms)`,
    `create table recovery_codes (
      hash text primary key, subject_id text not null references subjects (id), created_at_ms bigint not null, used_at_ms bigint)`,
    `create index recovery_codes_of on recovery_codes (subject_id)`,
    `create table owner_settings (name text primary key, value text not null)`,
    `alter table sessions add column passkey_id text`,
    `create index sessions_of_passkey on sessions (passkey_id) where passkey_id is not null`,
  ],
  [
    `create table notification_channels (
      id text primary key, approver_id text not null references subjects (id), kind text not null, name text not null,
      target text not null, sealed text not null, session_hash text, created_at_ms bigint not null, ended_at_ms bigint,
      last_at_ms bigint, last_ok bigint, last_text text)`,
    `create index notification_channels_of on notification_channels (approver_id, created_at_ms)`,
    `create table notification_preferences (
      approver_id text primary key references subjects (id), preferences text not null)`,
    `create table notification_jobs (
      id text primary key, event text not null, grant_id text references grants (id), approver_id text not null references subjects (id),
      channel_id text, due_at_ms bigint not null, attempts bigint not null, held_until_ms bigint not null, ended_at_ms bigint,
      result text)`,
    `create index notification_jobs_due on notification_jobs (due_at_ms) where ended_at_ms is null`,
    `create index notification_jobs_ended on notification_jobs (ended_at_ms) where ended_at_ms is not null`,
    `create table notification_cursor (id bigint primary key check (id = 1), seq bigint not null)`,
    `insert into notification_cursor (id, seq) select 1, seq from event_head`,
    `create index events_notable on events (seq) where ${NOTABLE_EVENT}`,
  ],
  [
    `alter table grants add column sealed text`,
    `alter table grants add column sealed_by text`,
    `create index grants_sealed on grants (sealed_by, state) where sealed_by is not null`,
    `alter table policies add column sealed text`,
    `alter table policies add column sealed_by text`,
    `create table approver_lists (sequence bigint primary key, list text not null)`,
  ],
  [
    `create table grant_matches (grant_id text primary key references grants (id), number text not null,
      decoys text not null, wrong bigint not null)`,
  ],
  [
    `create table requester_pauses (requester_id text primary key references subjects (id), since_ms bigint not null,
      by_id text references subjects (id), reason text not null)`,
  ],
  [
    `alter table sessions add column browser text`,
    `create index sessions_of on sessions (subject_id, last_seen_at_ms)`,
  ],
  [
    `create table idempotent_calls (subject_id text not null references subjects (id), key_hash text not null,
      call_digest text not null, started_at_ms bigint not null, status bigint, answer text, primary key (subject_id, key_hash))`,
    `create index idempotent_calls_by_age on idempotent_calls (started_at_ms)`,
  ],
  [
    `create table removed_rows (
      class text primary key, row_count bigint not null, last_seq bigint not null, before_ms bigint not null)`,
    `create index events_others_oldest on events (at_ms, seq) where ${OTHER_EVENT}`,
    `create index notification_jobs_of on notification_jobs (grant_id)`,
    `drop index events_standing`,
    `create index events_standing on events (seq) where ${STANDING_CHANGE}`,
  ],
  [
    `create table unnumbered_events (
      id text primary key, at_ms bigint not null, kind text not null, actor_id text, grant_id text, enrolment_id text,
      facts text not null)`,
  ],
  [
    `alter table grants add column part_uses text`,
    `create index grants_plans on grants (requester_id, created_at_ms) where part_uses is not null`,
  ],
  [`alter table subjects add column duty text`, `alter table grants add column approvals text`],
  [
    `create table replaced_keys (public_key text primary key, requester_id text not null references subjects (id),
      replaced_by text not null, replaced_at_ms bigint not null)`,
    `create index replaced_keys_of on replaced_keys (requester_id, replaced_at_ms)`,
    `create table key_requests (requester_id text primary key references subjects (id), asked_at_ms bigint not null,
      by_id text references subjects (id))`,
    `create index tokens_of on tokens (subject_id)`,
  ],
  [`create index grants_endless on grants (state, created_at_ms) where ${ENDLESS_APPROVAL}`],
  [`alter table grants add column sealed_only bigint`],
  [
    `alter table grants add column approved_deciding text`,
    `create index grants_approved_deciding on grants (requester_id, approved_deciding) where approved_deciding is not null`,
  ],
  [`alter table grants add column pin text`],
  [`alter table grants add column batches bigint`],
  // The index has the order in which a list shows grants. Without `id`, PostgreSQL would read and sort all approvals without an end.
  [
    `drop index grants_endless`,
    `create index grants_endless on grants (state, created_at_ms desc, id) where ${ENDLESS_APPROVAL}`,
  ],
  // Each use of a grant updates its row. If the page of the row has no free space, PostgreSQL has to update all indexes too. A lower fill
  // factor leaves free space.
  [{ postgres: `alter table grants set (fillfactor = 70)` }],
  // The code of an enrolment is computed from the nonce. So the check refuses an approval without a nonce, even if an older server that
  // still runs approves.
  // An enrolment that is pending at this step has no commitment. So this step makes the enrolment expire.
  [
    `alter table enrolments add column commitment text`,
    `alter table enrolments add column nonce text
      check (state <> 'approved' or commitment is null or nonce is not null)`,
    `alter table enrolments drop column code`,
    `update enrolments set expires_at_ms = created_at_ms where state = 'pending'`,
  ],
];

/** The schema version that this program writes and reads. */
export const SCHEMA_VERSION = STEPS.length;

/** `newer`: a newer program wrote the database; this program must not change it. */
export type MigrationOutcome = { readonly kind: 'current' } | { readonly kind: 'newer'; readonly version: number };

/** Migrates the database to `SCHEMA_VERSION`. Call this in one transaction that makes a second server wait. */
export async function migrate(db: Kysely<Tables>): Promise<MigrationOutcome> {
  await sql`create table if not exists schema_version (version bigint not null)`.execute(db);
  const row = await db.selectFrom('schema_version').select('version').executeTakeFirst();
  const version = row?.version ?? 0;
  if (version > SCHEMA_VERSION) return { kind: 'newer', version };
  if (version === SCHEMA_VERSION) return { kind: 'current' };
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter;
  for (const statement of STEPS.slice(version).flat()) {
    if (typeof statement === 'string') await sql.raw(statement).execute(db);
    else if (isPostgres) await sql.raw(statement.postgres).execute(db);
  }
  await db.deleteFrom('schema_version').execute();
  await db.insertInto('schema_version').values({ version: SCHEMA_VERSION }).execute();
  return { kind: 'current' };
}
