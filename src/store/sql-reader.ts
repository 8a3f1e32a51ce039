/** Implements `StoreReader` by SQL, on one connection or in one transaction. SQLite and PostgreSQL get the same SQL. */
import type { Kysely } from 'kysely';
import type { HostFacts } from '../core/effects/host-facts.ts';
import type { AuditEvent } from '../core/grant/audit-event.ts';
import { compareForUse } from '../core/grant/grant.ts';
import type { SealedApprovers } from '../core/wire/sealed.ts';
import { readApprovedBySeal, readApproverLists, readRefusedKeys } from './approver-list-rows.ts';
import { readEnrolment, readPendingEnrolments } from './enrolment-rows.ts';
import { eventOf, readEvents, readEventsOf, readLastMark, readLastSeq, readRepeats } from './event-rows.ts';
import { filteredGrants, LIVE_STATES } from './grant-filter.ts';
import { grantOf } from './grant-rows.ts';
import { type IsLike, SqlHistory } from './history-rows.ts';
import {
  approvedDecidingQuery,
  approversSequenceQuery,
  lastApproversQuery,
  markedEventQuery,
  pauseQuery,
  pendingOfQuery,
  sameRequestQuery,
  standingChangesQuery,
} from './hot-queries.ts';
import { SqlKeyRows } from './key-rows.ts';
import { readGrantById, readListedGrants, readWaitingInTurns, standingGrants } from './listed-grant-rows.ts';
import type { ListedGrant } from './listed-request.ts';
import { readMatch } from './match-rows.ts';
import { SqlNotificationRows } from './notification-rows.ts';
import { isOwnerLinkLive } from './owner-link-rows.ts';
import { SqlPasskeys } from './passkey-rows.ts';
import { readPastRequests } from './past-request-rows.ts';
import { pauseOf, readPauses } from './pause-rows.ts';
import { readLivePolicies, readPolicies, readPolicy } from './policy-rows.ts';
import type { Execute, PreparedQueries, PreparedQuery } from './prepared-query.ts';
import { type ReadOnce, readAgain } from './read-once.ts';
import { SqlRetentionRows } from './retention-rows.ts';
import { readSessionHolder, readSessions } from './session-rows.ts';
import type { SharedRows } from './shared-rows.ts';
import type { Tables } from './sql-tables.ts';
import type { EventMark, GrantFilter, NamedKeys, PlanHostFacts, StoreReader } from './store.ts';
import { readRequesterSubjects, readSubject, readSubjectByPublicKey, subjectOf } from './subject-rows.ts';

/** @property execute runs SQL on the connection of `db` */
export interface SqlConnection {
  readonly db: Kysely<Tables>;
  readonly prepared: PreparedQueries;
  readonly execute: Execute;
  readonly shared: SharedRows;
  readonly isLike: IsLike;
}

export class SqlReader implements StoreReader {
  readonly passkeys: SqlPasskeys;
  readonly retention: SqlRetentionRows;
  readonly notifications: SqlNotificationRows;
  readonly keys: SqlKeyRows;
  readonly history: SqlHistory;
  protected readonly db: Kysely<Tables>;
  protected readonly connection: SqlConnection;
  readonly #settle: () => Promise<void>;
  readonly #once: ReadOnce;

  /**
   * @param settle gives numbers to committed events that have no number yet (events of uses and reports). Methods that return such
   *               events call `settle` first
   * @param once   caches answers that several parts of one page need
   */
  constructor(connection: SqlConnection, settle: () => Promise<void> = async () => {}, once: ReadOnce = readAgain) {
    this.db = connection.db;
    this.#settle = settle;
    this.#once = once;
    this.passkeys = new SqlPasskeys(connection.db, once);
    this.retention = new SqlRetentionRows(connection.db);
    this.keys = new SqlKeyRows(connection.db);
    this.connection = connection;
    this.notifications = new SqlNotificationRows(connection.db);
    this.history = new SqlHistory(connection, settle);
  }

  protected run<Values extends object, Row>(query: PreparedQuery<Values, Row>, values: Values) {
    return this.connection.prepared.run(this.connection.execute, query, values);
  }

  subject(id: string) {
    return readSubject(this.db, id);
  }

  subjectByPublicKey(publicKey: string) {
    return readSubjectByPublicKey(this.db, publicKey);
  }

  async tokenHolders(hashes: readonly string[], nowMs: number) {
    const rows = await this.connection.shared.tokenHolders(hashes, nowMs);
    return new Map(rows.map((row) => [row.hash, { subject: subjectOf(row), expiresAtMs: row.expires_at_ms }]));
  }

  sessionHolder(hash: string, nowMs: number) {
    return readSessionHolder(this.db, hash, nowMs);
  }

  sessionsOf(subjectId: string, nowMs: number) {
    return readSessions(this.db, subjectId, nowMs);
  }

  ownerLinkIsLive(hash: string, nowMs: number) {
    return isOwnerLinkLive(this.db, hash, nowMs);
  }

  enrolment(id: string) {
    return readEnrolment(this.db, id);
  }

  pendingEnrolments(nowMs: number) {
    return this.#once(`pending enrolments ${nowMs}`, () => readPendingEnrolments(this.db, nowMs));
  }

  grant(id: string) {
    return readGrantById(this.db, id);
  }

  async requesterOf(grantId: string) {
    const row = await this.db.selectFrom('grants').select('requester_id').where('id', '=', grantId).executeTakeFirst();
    return row?.requester_id;
  }

  async coveringGrants(requesterId: string, fingerprint: string, nowMs: number) {
    const { rows } = await this.run(sameRequestQuery, { requesterId, fingerprint, state: 'approved', nowMs });
    return rows.map(grantOf).sort(compareForUse);
  }

  async scopedGrants(requesterId: string, nowMs: number) {
    const rows = await this.db
      .selectFrom('grants')
      .selectAll()
      .where('requester_id', '=', requesterId)
      .where('scope', 'is not', null)
      .where('state', '=', 'approved')
      .where((is) => is.or([is('lapses_at_ms', 'is', null), is('lapses_at_ms', '>', nowMs)]))
      .execute();
    return rows.map(grantOf).sort(compareForUse);
  }

  async pause(requesterId: string) {
    const [row] = (await this.run(pauseQuery, { requesterId })).rows;
    return row && pauseOf(row);
  }

  pauses() {
    return readPauses(this.db);
  }

  async hasApprovedDeciding(requesterId: string, approvedDeciding: string, exceptId: string | null) {
    const { rows } = await this.run(approvedDecidingQuery, { requesterId, digest: approvedDeciding });
    return rows.some(({ id }) => id !== exceptId);
  }

  match(grantId: string) {
    return readMatch(this.db, grantId);
  }

  async hostFacts(grantId: string) {
    const found = await this.#storedHostFacts(grantId);
    return isOfPlan(found) ? null : found;
  }

  async planHostFacts(grantId: string) {
    const found = await this.#storedHostFacts(grantId);
    return isOfPlan(found) ? found : [];
  }

  async #storedHostFacts(grantId: string): Promise<HostFacts | PlanHostFacts | null> {
    const row = await this.db
      .selectFrom('grant_findings')
      .select('findings')
      .where('grant_id', '=', grantId)
      .executeTakeFirst();
    return row === undefined ? null : JSON.parse(row.findings);
  }

  pastRequests(requesterId: string, limit: number) {
    return readPastRequests(this.db, requesterId, limit);
  }

  approverLists(afterSequence: number, limit: number) {
    return readApproverLists(this.db, afterSequence, limit);
  }

  async lastApprovers() {
    const [row] = (await this.#once('last approvers', () => this.run(lastApproversQuery, {}))).rows;
    return row && (JSON.parse(row.list) as SealedApprovers);
  }

  async approversSequence() {
    const [row] = (await this.run(approversSequenceQuery, {})).rows;
    return row?.sequence ?? 0;
  }

  refusedKeys(keys: NamedKeys) {
    return readRefusedKeys(this.db, keys);
  }

  approvedBySeal(keyId: string) {
    return readApprovedBySeal(this.db, keyId);
  }

  policy(id: string) {
    return readPolicy(this.db, id);
  }

  policies(filter: { readonly isLive: boolean; readonly limit: number }) {
    return readPolicies(this.db, filter);
  }

  livePolicies() {
    return readLivePolicies(this.db);
  }

  requesters() {
    return readRequesterSubjects(this.db);
  }

  async pendingGrant(requesterId: string, fingerprint: string, nowMs: number) {
    // The rows are sorted here: with an `order by`, SQLite would use another index and read all requests of this requester.
    const { rows } = await this.run(sameRequestQuery, { requesterId, fingerprint, state: 'pending', nowMs });
    const [oldest] = rows.toSorted((left, right) => left.created_at_ms - right.created_at_ms);
    return oldest && grantOf(oldest);
  }

  async grants(filter: GrantFilter) {
    const rows = await (filter.isStanding === true
      ? standingGrants(this.db, filter).select('id').execute()
      : filteredGrants(this.db, filter).select('id').execute());
    return this.listed(rows.map(({ id }) => id));
  }

  async waitingInTurns(limit: number, nowMs: number) {
    return this.listed(await readWaitingInTurns(this.db, limit, nowMs));
  }

  async pendingOf(requesterId: string, nowMs: number) {
    const [row] = (await this.run(pendingOfQuery, { requesterId, nowMs })).rows;
    return { count: row?.count ?? 0, bytes: row?.bytes ?? 0 };
  }

  listed(ids: readonly string[]): Promise<readonly ListedGrant[]> {
    return readListedGrants(this.db, ids);
  }

  async countPending(nowMs: number) {
    const row = await this.#once(`pending ${nowMs}`, () =>
      this.db
        .selectFrom('grants')
        .select((of) => of.fn.countAll<number>().as('count'))
        .where('state', '=', 'pending')
        .where('lapses_at_ms', '>', nowMs)
        .executeTakeFirstOrThrow(),
    );
    return row.count;
  }

  async nextExpiryMs(afterMs: number) {
    const row = await this.db
      .selectFrom('grants')
      .select((of) => of.fn.min('lapses_at_ms').as('at'))
      .where('state', 'in', LIVE_STATES)
      .where('lapses_at_ms', '>', afterMs)
      .executeTakeFirst();
    return row?.at ?? null;
  }

  async expiredBetween(afterMs: number, untilMs: number) {
    const rows = await this.db
      .selectFrom('grants')
      .select('id')
      .where('state', 'in', LIVE_STATES)
      .where('lapses_at_ms', '>', afterMs)
      .where('lapses_at_ms', '<=', untilMs)
      .execute();
    return rows.map((row) => row.id);
  }

  async events(afterSeq: number, limit: number) {
    await this.#settle();
    return readEvents(this.db, afterSeq, limit);
  }

  async standingChanges({ seq, atMs }: EventMark) {
    if (seq > 0 && (await this.run(markedEventQuery, { seq, atMs })).rows.length === 0) return null;
    return (await this.run(standingChangesQuery, { afterSeq: seq })).rows.map(eventOf);
  }

  async eventsOf(grantId: string, kind: AuditEvent['kind'], limit: number) {
    await this.#settle();
    return readEventsOf(this.db, grantId, kind, limit);
  }

  async repeats(grantIds: readonly string[], most: number) {
    await this.#settle();
    return readRepeats(this.db, grantIds, most);
  }

  lastSeq() {
    return readLastSeq(this.db);
  }

  lastMark(): Promise<EventMark> {
    return readLastMark(this.db);
  }
}

const isOfPlan = (found: HostFacts | PlanHostFacts | null): found is PlanHostFacts => Array.isArray(found);
