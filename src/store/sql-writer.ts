/** Implements `StoreWriter` by SQL, in one transaction. */
import { sql } from 'kysely';
import type { HostFacts } from '../core/effects/host-facts.ts';
import type { AuditEvent, StoredAuditEvent } from '../core/grant/audit-event.ts';
import type { Grant } from '../core/grant/grant.ts';
import type { GrantMatch } from '../core/grant/grant-match.ts';
import type { Policy } from '../core/policy/policy.ts';
import type { SealedApprovers } from '../core/wire/sealed.ts';
import { writeApprovers } from './approver-list-rows.ts';
import { rewriteEnrolment, writeEnrolment, writeNonce } from './enrolment-rows.ts';
import { type EventColumns, eventColumns, unnumberedRow } from './event-rows.ts';
import { changingColumns, grantOf, grantRow } from './grant-rows.ts';
import {
  countUsesQuery,
  insertGrantQuery,
  insertHostFactsQuery,
  insertMatchQuery,
  replaceGrantQuery,
} from './hot-queries.ts';
import { SqlIdempotencyRows } from './idempotency-rows.ts';
import { LATE_KINDS } from './late-numbers.ts';
import { countWrongPick, matchRow } from './match-rows.ts';
import { credentialRow, spendOwnerLink, writeOwnerLink } from './owner-link-rows.ts';
import { type Pause, removePause, writePause } from './pause-rows.ts';
import { countPolicyUse, policyOf, writePolicy, writePolicyEnd } from './policy-rows.ts';
import { removeSession, removeSessions, touchSession, writeSession } from './session-rows.ts';
import { MAX_NUMBERED, type Numbered } from './shared-rows.ts';
import { type SqlConnection, SqlReader } from './sql-reader.ts';
import type { ApproverSession, Credential, Enrolment, PlanHostFacts, StoreWriter, Subject } from './store.ts';
import { writeRevocation, writeRole, writeSubject } from './subject-rows.ts';

/**
 * @property events   the transaction's own events that have a number
 * @property late     how many of the transaction's own events have no number yet
 * @property numbered how many events of other transactions this transaction numbered
 */
interface Appended {
  readonly events: readonly StoredAuditEvent[];
  readonly late: number;
  readonly numbered: number;
}

const CREDENTIALS = ['tokens', 'sessions', 'owner_links'] as const;

export class SqlWriter extends SqlReader implements StoreWriter {
  readonly idempotency: SqlIdempotencyRows;
  readonly #recorded: AuditEvent[] = [];
  readonly #lock: (key: string) => Promise<void>;
  readonly #hasOtherWriters: boolean;

  /**
   * @param lock            makes transactions with the same key run one after the other
   * @param hasOtherWriters whether other transactions can write meanwhile. If true, the writer locks rows and numbers some events late
   */
  constructor(connection: SqlConnection, lock: (key: string) => Promise<void>, hasOtherWriters: boolean) {
    super(connection);
    this.idempotency = new SqlIdempotencyRows(connection.db);
    this.#lock = lock;
    this.#hasOtherWriters = hasOtherWriters;
  }

  lockRequest(requesterId: string, fingerprint: string) {
    return this.#lock(`${requesterId}/${fingerprint}`);
  }

  async tryWriting() {
    // Every decision locks the row in event_head, so the test writes to another table. SQLite does not write an unchanged row. So the first
    // update negates the version, and the second update restores the version.
    for (let turn = 0; turn < 2; turn += 1) await sql`update schema_version set version = -version`.execute(this.db);
  }

  insertSubject(subject: Subject) {
    return writeSubject(this.db, subject);
  }

  revokeSubject(id: string, atMs: number) {
    return writeRevocation(this.db, id, atMs);
  }

  changeRole(id: string, role: 'approver' | 'auditor') {
    return writeRole(this.db, id, role);
  }

  insertEnrolment(enrolment: Enrolment) {
    return writeEnrolment(this.db, enrolment);
  }

  insertNonce(enrolmentId: string, nonce: string) {
    return writeNonce(this.db, enrolmentId, nonce);
  }

  replaceEnrolment(enrolment: Enrolment) {
    return rewriteEnrolment(this.db, enrolment);
  }

  insertSession(session: ApproverSession) {
    return writeSession(this.db, session);
  }

  touchSession(hash: string, lastSeenAtMs: number, expiresAtMs: number) {
    return touchSession(this.db, hash, lastSeenAtMs, expiresAtMs);
  }

  endSession(hash: string) {
    return removeSession(this.db, hash);
  }

  endSessionsOf(subjectId: string, exceptHash: string | null) {
    return removeSessions(this.db, subjectId, exceptHash);
  }

  insertOwnerLink(link: Credential) {
    return writeOwnerLink(this.db, link);
  }

  spendOwnerLink(hash: string, nowMs: number) {
    return spendOwnerLink(this.db, hash, nowMs);
  }

  async spendChallenge(hash: string, expiresAtMs: number) {
    const { numInsertedOrUpdatedRows } = await this.db
      .insertInto('spent_challenges')
      .values({ hash, expires_at_ms: expiresAtMs })
      .onConflict((conflict) => conflict.column('hash').doNothing())
      .executeTakeFirst();
    return numInsertedOrUpdatedRows === 1n;
  }

  async insertToken(token: Credential) {
    await this.db.insertInto('tokens').values(credentialRow(token)).execute();
  }

  insertPause(pause: Pause) {
    return writePause(this.db, pause);
  }

  endPause(requesterId: string) {
    return removePause(this.db, requesterId);
  }

  async insertMatch(match: GrantMatch) {
    await this.run(insertMatchQuery, matchRow(match));
  }

  countWrongPick(match: GrantMatch) {
    return countWrongPick(this.db, match);
  }

  async insertGrant(grant: Grant, hostFacts: HostFacts | PlanHostFacts | null = null) {
    await this.run(insertGrantQuery, grantRow(grant));
    if (hostFacts === null) return;
    await this.run(insertHostFactsQuery, { grant_id: grant.id, findings: JSON.stringify(hostFacts) });
  }

  /** Locks the grants in the order of their ids, so that two transactions never end in a deadlock. */
  async holdGrants(ids: readonly string[]) {
    if (ids.length === 0) return [];
    const query = this.db.selectFrom('grants').selectAll().where('id', 'in', ids).orderBy('id');
    return (await (this.#hasOtherWriters ? query.forUpdate() : query).execute()).map(grantOf);
  }

  async countUses({ id, version, uses, usedAtMs }: Grant, count: number) {
    const values = { id, version, uses, used_at_ms: usedAtMs, before: version - count };
    return (await this.run(countUsesQuery, values)).changes === 1;
  }

  async replaceGrant(grant: Grant) {
    const values = { ...changingColumns(grant), id: grant.id, before: grant.version - 1 };
    return (await this.run(replaceGrantQuery, values)).changes === 1;
  }

  insertApprovers(sealed: SealedApprovers) {
    return writeApprovers(this.db, sealed);
  }

  insertPolicy(policy: Policy) {
    return writePolicy(this.db, policy);
  }

  async holdPolicies(ids: readonly string[]) {
    if (ids.length === 0) return [];
    const query = this.db.selectFrom('policies').selectAll().where('id', 'in', ids).orderBy('id');
    return (await (this.#hasOtherWriters ? query.forUpdate() : query).execute()).map(policyOf);
  }

  endPolicy(id: string, atMs: number) {
    return writePolicyEnd(this.db, id, atMs);
  }

  usePolicy(id: string) {
    return countPolicyUse(this.db, id);
  }

  record(event: AuditEvent) {
    this.#recorded.push(event);
  }

  async removeCredentials() {
    for (const table of CREDENTIALS) await this.db.deleteFrom(table).execute();
  }

  async prune(nowMs: number) {
    for (const table of [...CREDENTIALS, 'spent_challenges'] as const)
      await this.db.deleteFrom(table).where('expires_at_ms', '<', nowMs).execute();
  }

  /**
   * Appends the recorded events. The call locks the head row until the commit. So the call is the last step of a transaction. Numbers
   * follow the order of commits. So a reader that has seen number n never misses a smaller number.
   *
   * If there are other writers, a transaction that records only uses and reports does not take the lock. Its events get their numbers later
   * (`late`). If a transaction takes the lock, it gives numbers first to the waiting events of other transactions (`numbered`), and then to
   * its own events. So in the record, a use of a grant comes before a later revocation of this grant.
   */
  async appendRecorded(): Promise<Appended> {
    const count = this.#recorded.length;
    if (count === 0) return { events: [], late: 0, numbered: 0 };
    if (this.#hasOtherWriters && this.#recorded.every(({ kind }) => LATE_KINDS.has(kind))) {
      await this.connection.shared.insertUnnumbered(this.#recorded.map(unnumberedRow));
      return { events: [], late: count, numbered: 0 };
    }
    const { lastSeq, numbered } = await this.#numberAll(this.#recorded.map(eventColumns));
    const before = lastSeq - count;
    const events = this.#recorded.map((event, at) => ({ ...event, seq: before + at + 1, prevHash: null, hash: null }));
    return { events, late: 0, numbered };
  }

  async #numberAll(events: readonly EventColumns[]): Promise<Numbered> {
    for (let others = 0; ; ) {
      const { lastSeq, numbered } = await this.connection.shared.appendEvents(events);
      others += numbered;
      if (numbered < MAX_NUMBERED) return { lastSeq, numbered: others };
    }
  }
}
