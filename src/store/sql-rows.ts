/** Implements `StoreReader` and `StoreWriter` by SQL, on one connection or in one transaction. SQLite and PostgreSQL get the same SQL. */
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { HostFacts } from '../core/effects/host-facts.ts';
import type { AuditEvent, StoredAuditEvent } from '../core/grant/audit-event.ts';
import { compareForUse, type Grant } from '../core/grant/grant.ts';
import type { GrantMatch } from '../core/grant/grant-match.ts';
import type { ExecutionRequest } from '../core/grant/request.ts';
import type { Policy } from '../core/policy/policy.ts';
import type { SealedApprovers } from '../core/wire/sealed.ts';
import { filteredGrants, LIVE_STATES } from './grant-filter.ts';
import { type IsLike, SqlHistory } from './history-rows.ts';
import {
  approvedDecidingQuery,
  approversSequenceQuery,
  countUsesQuery,
  insertFindingsQuery,
  insertGrantQuery,
  insertMatchQuery,
  lastApproversQuery,
  markedEventQuery,
  pauseQuery,
  pendingOfQuery,
  replaceGrantQuery,
  sameRequestQuery,
  standingChangesQuery,
} from './hot-queries.ts';
import { SqlIdempotencyRows } from './idempotency-rows.ts';
import { SqlKeyRows } from './key-rows.ts';
import { LATE_KINDS } from './late-numbers.ts';
import { type ListedGrant, listedGrant, MAX_LISTED_REQUEST_BYTES } from './listed-request.ts';
import { countWrongPick, matchRow, readMatch } from './match-rows.ts';
import { SqlNotificationRows } from './notification-rows.ts';
import { SqlPasskeys } from './passkey-rows.ts';
import { type Pause, pauseOf, readPauses, removePause, writePause } from './pause-rows.ts';
import type { Execute, PreparedQueries, PreparedQuery } from './prepared-query.ts';
import { type ReadOnce, readAgain } from './read-once.ts';
import { SqlRetentionRows } from './retention-rows.ts';
import { KIND_OF_ROW } from './row-conditions.ts';
import { readSessions, removeSessions, sessionRow } from './session-rows.ts';
import { MAX_NUMBERED, type Numbered, type SharedRows } from './shared-rows.ts';
import { ENDLESS_APPROVAL } from './sql-migrations.ts';
import {
  type CredentialRow,
  changingColumns,
  dutyOf,
  type EventColumns,
  enrolmentOf,
  enrolmentRow,
  eventColumns,
  eventOf,
  type GrantRow,
  grantOf,
  grantRow,
  policyOf,
  policyRow,
  subjectOf,
  subjectRow,
  type Tables,
  unnumberedRow,
} from './sql-tables.ts';
import {
  type ApproverSession,
  type Credential,
  type Enrolment,
  type EventMark,
  FIRST_MARK,
  type GrantFilter,
  MAX_PAST_REQUEST_BYTES,
  type PlanFindings,
  type StoreReader,
  type StoreWriter,
  type Subject,
} from './store.ts';

/**
 * An expression in place of the column `created_at_ms`, so that SQLite cannot use an index on this column. It then finds timed approvals by
 * their end, and does not read all approvals in the order of creation.
 */
const UNINDEXED_TIME = sql<number>`(created_at_ms + 0)`;

/** All columns except the request and its impact preview, which can be long. */
const LISTED_COLUMNS = [
  'id',
  'version',
  'state',
  'requester_id',
  'requester_name',
  'fingerprint',
  'reason',
  'proposed_term',
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
  'created_at_ms',
  'expires_at_ms',
  'lapses_at_ms',
  'decided_at_ms',
  'decided_by',
  'deny_reason',
  'used_at_ms',
  'uses',
  'revoked_at_ms',
  'part_uses',
  'brief',
  'cut_from',
  'approved_deciding',
] as const satisfies readonly (keyof GrantRow)[];

/** How many of a requester's last requests `pastRequests` reads, to find those with host facts. */
const MAX_LOOKED_AT = 2_000;

const credentialRow = (credential: Credential): CredentialRow => ({
  hash: credential.hash,
  subject_id: credential.subjectId,
  created_at_ms: credential.createdAtMs,
  expires_at_ms: credential.expiresAtMs,
});

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
  private readonly settle: () => Promise<void>;
  private readonly once: ReadOnce;

  /**
   * @param settle gives numbers to committed events that have no number yet; called before the record is read
   * @param once   caches answers that are needed again
   */
  constructor(connection: SqlConnection, settle: () => Promise<void> = async () => {}, once: ReadOnce = readAgain) {
    this.db = connection.db;
    this.settle = settle;
    this.once = once;
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

  async subject(id: string) {
    const row = await this.db.selectFrom('subjects').selectAll().where('id', '=', id).executeTakeFirst();
    return row && subjectOf(row);
  }

  async subjectByPublicKey(publicKey: string) {
    const row = await this.db.selectFrom('subjects').selectAll().where('public_key', '=', publicKey).executeTakeFirst();
    return row && subjectOf(row);
  }

  async tokenHolders(hashes: readonly string[], nowMs: number) {
    const rows = await this.connection.shared.tokenHolders(hashes, nowMs);
    return new Map(rows.map((row) => [row.hash, { subject: subjectOf(row), expiresAtMs: row.expires_at_ms }]));
  }

  async sessionHolder(hash: string, nowMs: number) {
    const row = await this.db
      .selectFrom('sessions')
      .innerJoin('subjects', 'subjects.id', 'sessions.subject_id')
      .selectAll('subjects')
      .select([
        'sessions.expires_at_ms',
        'sessions.last_seen_at_ms',
        'sessions.passkey_id',
        'sessions.browser',
        'sessions.created_at_ms as session_created_at_ms',
      ])
      .where('sessions.hash', '=', hash)
      .where('sessions.expires_at_ms', '>', nowMs)
      .where('subjects.revoked_at_ms', 'is', null)
      .executeTakeFirst();
    if (row === undefined) return undefined;
    const session: ApproverSession = {
      hash,
      subjectId: row.id,
      createdAtMs: row.session_created_at_ms,
      expiresAtMs: row.expires_at_ms,
      lastSeenAtMs: row.last_seen_at_ms,
      passkeyId: row.passkey_id,
      browser: row.browser,
    };
    return { subject: subjectOf(row), session };
  }

  sessionsOf(subjectId: string, nowMs: number) {
    return readSessions(this.db, subjectId, nowMs);
  }

  async ownerLinkIsLive(hash: string, nowMs: number) {
    const row = await this.db
      .selectFrom('owner_links')
      .select('hash')
      .where('hash', '=', hash)
      .where('used_at_ms', 'is', null)
      .where('expires_at_ms', '>', nowMs)
      .executeTakeFirst();
    return row !== undefined;
  }

  async enrolment(id: string) {
    const row = await this.db.selectFrom('enrolments').selectAll().where('id', '=', id).executeTakeFirst();
    return row && enrolmentOf(row);
  }

  async pendingEnrolments(nowMs: number) {
    const rows = await this.once(`pending enrolments ${nowMs}`, () =>
      this.db
        .selectFrom('enrolments')
        .selectAll()
        .where('state', '=', 'pending')
        .where('expires_at_ms', '>', nowMs)
        .orderBy('created_at_ms', 'desc')
        .execute(),
    );
    return rows.map(enrolmentOf);
  }

  async grant(id: string) {
    const row = await this.db.selectFrom('grants').selectAll().where('id', '=', id).executeTakeFirst();
    return row && grantOf(row);
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

  async findings(grantId: string) {
    const found = await this.storedFindings(grantId);
    return isOfPlan(found) ? null : found;
  }

  async planFindings(grantId: string) {
    const found = await this.storedFindings(grantId);
    return isOfPlan(found) ? found : [];
  }

  private async storedFindings(grantId: string): Promise<HostFacts | PlanFindings | null> {
    const row = await this.db
      .selectFrom('grant_findings')
      .select('findings')
      .where('grant_id', '=', grantId)
      .executeTakeFirst();
    return row === undefined ? null : JSON.parse(row.findings);
  }

  /** Finds the last requests first, and then reads only the short texts: a database knows the length of a text without reading it. */
  async pastRequests(requesterId: string, limit: number) {
    const rows = await this.db
      .selectFrom((from) =>
        from
          .selectFrom((inner) =>
            inner
              .selectFrom('grants')
              .select(['id', 'created_at_ms'])
              .where('requester_id', '=', requesterId)
              .where('part_uses', 'is', null)
              .orderBy('created_at_ms', 'desc')
              .orderBy('id')
              .limit(MAX_LOOKED_AT)
              .as('newest'),
          )
          .innerJoin('grant_findings', 'grant_findings.grant_id', 'newest.id')
          .select('newest.id')
          .orderBy('newest.created_at_ms', 'desc')
          .orderBy('newest.id')
          .limit(limit)
          .as('last'),
      )
      .innerJoin('grants', 'grants.id', 'last.id')
      .innerJoin('grant_findings', 'grant_findings.grant_id', 'last.id')
      .select(['grants.id', 'grants.created_at_ms', 'grants.request', 'grant_findings.findings'])
      .where(sql<boolean>`octet_length(request) + octet_length(findings) <= ${MAX_PAST_REQUEST_BYTES}`)
      .orderBy('grants.created_at_ms', 'desc')
      .orderBy('grants.id')
      .execute();
    return rows.map(({ id, created_at_ms, request, findings: hostFacts }) => ({
      grantId: id,
      atMs: created_at_ms,
      request: JSON.parse(request) as ExecutionRequest,
      findings: JSON.parse(hostFacts) as HostFacts,
    }));
  }

  async approverLists(afterSequence: number, limit: number) {
    const rows = await this.db
      .selectFrom('approver_lists')
      .select('list')
      .where('sequence', '>', afterSequence)
      .orderBy('sequence')
      .limit(limit)
      .execute();
    return rows.map(({ list }) => JSON.parse(list) as SealedApprovers);
  }

  async lastApprovers() {
    const [row] = (await this.once('last approvers', () => this.run(lastApproversQuery, {}))).rows;
    return row && (JSON.parse(row.list) as SealedApprovers);
  }

  async approversSequence() {
    const [row] = (await this.run(approversSequenceQuery, {})).rows;
    return row?.sequence ?? 0;
  }

  async approvedBySeal(keyId: string) {
    const grants = await this.db
      .selectFrom('grants')
      .selectAll()
      .where('sealed_by', '=', keyId)
      .where('state', '=', 'approved')
      .execute();
    const byOthers = await this.db
      .selectFrom('grants')
      .selectAll()
      .where('state', '=', 'approved')
      .where('sealed_by', '<>', keyId)
      .where('approvals', 'is not', null)
      .execute();
    const others = byOthers.map(grantOf).filter(({ sealed }) => sealed?.also?.some(({ seal }) => seal.keyId === keyId));
    const policies = await this.db
      .selectFrom('policies')
      .selectAll()
      .where('sealed_by', '=', keyId)
      .where('ended_at_ms', 'is', null)
      .execute();
    return { grants: [...grants.map(grantOf), ...others], policies: policies.map(policyOf) };
  }

  async policy(id: string) {
    const row = await this.db.selectFrom('policies').selectAll().where('id', '=', id).executeTakeFirst();
    return row && policyOf(row);
  }

  async policies(filter: { readonly isLive: boolean; readonly limit: number }) {
    let query = this.db
      .selectFrom('policies')
      .selectAll()
      .orderBy('created_at_ms', 'desc')
      .orderBy('id')
      .limit(filter.limit);
    query = query.where('ended_at_ms', filter.isLive ? 'is' : 'is not', null);
    return (await query.execute()).map(policyOf);
  }

  async livePolicies() {
    const rows = await this.db.selectFrom('policies').selectAll().where('ended_at_ms', 'is', null).execute();
    return rows.map(policyOf);
  }

  async requesters() {
    const rows = await this.db
      .selectFrom('subjects')
      .selectAll()
      .where('role', '=', 'requester')
      .orderBy('name')
      .orderBy('id')
      .execute();
    return rows.map(subjectOf);
  }

  async pendingGrant(requesterId: string, fingerprint: string, nowMs: number) {
    // The rows are sorted here, because an order in SQL would make SQLite read all requests of this requester by another index.
    const { rows } = await this.run(sameRequestQuery, { requesterId, fingerprint, state: 'pending', nowMs });
    const [oldest] = rows.toSorted((left, right) => left.created_at_ms - right.created_at_ms);
    return oldest && grantOf(oldest);
  }

  async grants(filter: GrantFilter) {
    const rows = await (filter.isStanding === true
      ? this.standing(filter).select('id').execute()
      : filteredGrants(this.db, filter).select('id').execute());
    return this.listed(rows.map(({ id }) => id));
  }

  /** Joins two queries, because a single query would make a database read all approvals without an end, or all ended approvals. */
  private standing(filter: GrantFilter) {
    const endless = filteredGrants(this.db, filter)
      .where('term_kind', '!=', 'once')
      .where(sql<boolean>`${sql.raw(ENDLESS_APPROVAL)}`);
    const timed = filteredGrants(this.db, filter, UNINDEXED_TIME)
      .where('term_kind', '!=', 'once')
      .where('state', '=', 'approved')
      .where('lapses_at_ms', '>', filter.nowMs);
    const both = this.db
      .selectFrom(endless.select(['id', 'created_at_ms']).as('endless'))
      .selectAll()
      .unionAll(this.db.selectFrom(timed.select(['id', 'created_at_ms']).as('timed')).selectAll());
    return this.db.selectFrom(both.as('both')).orderBy('created_at_ms', 'desc').orderBy('id').limit(filter.limit);
  }

  async waitingInTurns(limit: number, nowMs: number) {
    const { rows } = await sql<{ readonly id: string }>`select id from (
        select id, created_at_ms, row_number() over (partition by requester_id order by created_at_ms, id) as turn
        from grants where state = 'pending' and lapses_at_ms > ${nowMs}) as waiting
      order by turn, created_at_ms, id limit ${limit}`.execute(this.db);
    return this.listed(rows.map(({ id }) => id));
  }

  async pendingOf(requesterId: string, nowMs: number) {
    const [row] = (await this.run(pendingOfQuery, { requesterId, nowMs })).rows;
    return { count: row?.count ?? 0, bytes: row?.bytes ?? 0 };
  }

  /**
   * Returns the grants in the order of `ids`. For a long request, its shortened form (`brief`) is read. A long request from before the
   * column `brief` existed is read whole, in a query of its own.
   */
  async listed(ids: readonly string[]): Promise<readonly ListedGrant[]> {
    if (ids.length === 0) return [];
    const rows = await this.db
      .selectFrom('grants')
      .select(LISTED_COLUMNS)
      .select(sql<string>`coalesce(brief, request)`.as('request'))
      .select(sql<string | null>`case when brief is null then touches end`.as('touches'))
      .where('id', 'in', ids)
      .where(
        sql<boolean>`(brief is not null or octet_length(request) + coalesce(octet_length(touches), 0) <= ${MAX_LISTED_REQUEST_BYTES})`,
      )
      .execute();
    const found = new Map<string, ListedGrant>(
      rows.map((row) => [row.id, { ...grantOf(row), ...(row.cut_from === null ? {} : { cutFrom: row.cut_from }) }]),
    );
    const listed: ListedGrant[] = [];
    for (const id of ids) {
      const grant = found.get(id) ?? (await this.grant(id));
      if (grant !== undefined) listed.push(listedGrant(grant));
    }
    return listed;
  }

  async countPending(nowMs: number) {
    const row = await this.once(`pending ${nowMs}`, () =>
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
    await this.settle();
    const rows = await this.db
      .selectFrom('events')
      .selectAll()
      .where('seq', '>', afterSeq)
      .orderBy('seq')
      .limit(limit)
      .execute();
    return rows.map(eventOf);
  }

  async standingChanges({ seq, atMs }: EventMark) {
    if (seq > 0 && (await this.run(markedEventQuery, { seq, atMs })).rows.length === 0) return null;
    return (await this.run(standingChangesQuery, { afterSeq: seq })).rows.map(eventOf);
  }

  async eventsOf(grantId: string, kind: AuditEvent['kind'], limit: number) {
    await this.settle();
    const rows = await this.db
      .selectFrom('events')
      .selectAll()
      .where(ofGrant(sql`${grantId}`))
      .where(sql<string>`${sql.raw(KIND_OF_ROW)}`, '=', kind)
      .orderBy('grant_id', 'desc')
      .orderBy('seq', 'desc')
      .limit(limit)
      .execute();
    return rows.map(eventOf);
  }

  async repeats(grantIds: readonly string[], most: number) {
    await this.settle();
    if (grantIds.length === 0) return new Map<string, number>();
    const { rows } = await sql<{ readonly id: string; readonly times: number }>`select id, (select count(*) from (
        select 1 as one from events where ${ofGrant(sql`grants.id`)} and ${sql.raw(KIND_OF_ROW)} = 'grant.repeated'
        order by grant_id, seq limit ${most}) as repeated) as times
      from grants where id in (${sql.join(grantIds)})`.execute(this.db);
    return new Map(rows.filter(({ times }) => times > 0).map(({ id, times }) => [id, times]));
  }

  async lastSeq() {
    const row = await this.db.selectFrom('event_head').select('seq').where('id', '=', 1).executeTakeFirst();
    return row?.seq ?? 0;
  }

  async lastMark(): Promise<EventMark> {
    const last = await this.db
      .selectFrom('events')
      .select(['seq', 'at_ms'])
      .orderBy('seq', 'desc')
      .limit(1)
      .executeTakeFirst();
    return last === undefined ? FIRST_MARK : { seq: last.seq, atMs: last.at_ms };
  }
}

/**
 * Selects the events of a grant, for a query that is ordered by `grant_id` and `seq`. The comparisons `>=` and `<=` with this order make
 * PostgreSQL use the index. With `=` and a limit, PostgreSQL would expect many events of each grant if one grant has most of the events,
 * and would read the table from its beginning.
 */
const ofGrant = (id: RawBuilder<unknown>) => sql<boolean>`grant_id >= ${id} and grant_id <= ${id}`;

export class SqlWriter extends SqlReader implements StoreWriter {
  readonly idempotency: SqlIdempotencyRows;
  private readonly recorded: AuditEvent[] = [];
  private readonly lock: (key: string) => Promise<void>;
  private readonly hasOtherWriters: boolean;

  /**
   * @param lock            makes transactions with the same key run one after the other
   * @param hasOtherWriters whether other transactions may write at the same time; if so, rows are locked, and some events are numbered late
   */
  constructor(connection: SqlConnection, lock: (key: string) => Promise<void>, hasOtherWriters: boolean) {
    super(connection);
    this.idempotency = new SqlIdempotencyRows(connection.db);
    this.lock = lock;
    this.hasOtherWriters = hasOtherWriters;
  }

  lockRequest(requesterId: string, fingerprint: string) {
    return this.lock(`${requesterId}/${fingerprint}`);
  }

  async tryWriting() {
    // Not the row in event_head, because every decision locks that row. The value is changed and changed back, because SQLite does not write
    // an unchanged row.
    for (let turn = 0; turn < 2; turn += 1) await sql`update schema_version set version = -version`.execute(this.db);
  }

  async insertSubject(subject: Subject) {
    await this.db.insertInto('subjects').values(subjectRow(subject)).execute();
  }

  async revokeSubject(id: string, atMs: number) {
    const { numUpdatedRows } = await this.db
      .updateTable('subjects')
      .set({ revoked_at_ms: atMs })
      .where('id', '=', id)
      .where('revoked_at_ms', 'is', null)
      .executeTakeFirst();
    return numUpdatedRows === 1n;
  }

  async changeRole(id: string, role: 'approver' | 'auditor') {
    const { numUpdatedRows } = await this.db
      .updateTable('subjects')
      .set({ duty: dutyOf(role) })
      .where('id', '=', id)
      .where('role', '=', 'approver')
      .where((is) => is.or([is('duty', 'is', null), is('duty', '<>', 'break-glass')]))
      .where('revoked_at_ms', 'is', null)
      .executeTakeFirst();
    return numUpdatedRows === 1n;
  }

  async insertEnrolment(enrolment: Enrolment) {
    await this.db.insertInto('enrolments').values(enrolmentRow(enrolment)).execute();
  }

  async replaceEnrolment(enrolment: Enrolment) {
    const { numUpdatedRows } = await this.db
      .updateTable('enrolments')
      .set(enrolmentRow(enrolment))
      .where('id', '=', enrolment.id)
      .where('state', '=', 'pending')
      .executeTakeFirst();
    return numUpdatedRows === 1n;
  }

  async insertSession(session: ApproverSession) {
    await this.db.insertInto('sessions').values(sessionRow(session)).execute();
  }

  async touchSession(hash: string, lastSeenAtMs: number, expiresAtMs: number) {
    await this.db
      .updateTable('sessions')
      .set({ last_seen_at_ms: lastSeenAtMs, expires_at_ms: expiresAtMs })
      .where('hash', '=', hash)
      .execute();
  }

  async endSession(hash: string) {
    await this.db.deleteFrom('sessions').where('hash', '=', hash).execute();
  }

  endSessionsOf(subjectId: string, exceptHash: string | null) {
    return removeSessions(this.db, subjectId, exceptHash);
  }

  async insertOwnerLink(link: Credential) {
    await this.db
      .insertInto('owner_links')
      .values({ ...credentialRow(link), used_at_ms: null })
      .execute();
  }

  async spendOwnerLink(hash: string, nowMs: number) {
    const row = await this.db
      .updateTable('owner_links')
      .set({ used_at_ms: nowMs })
      .where('hash', '=', hash)
      .where('used_at_ms', 'is', null)
      .where('expires_at_ms', '>', nowMs)
      .returning('subject_id')
      .executeTakeFirst();
    return row?.subject_id;
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

  async insertGrant(grant: Grant, hostFacts: HostFacts | PlanFindings | null = null) {
    await this.run(insertGrantQuery, grantRow(grant));
    if (hostFacts === null) return;
    await this.run(insertFindingsQuery, { grant_id: grant.id, findings: JSON.stringify(hostFacts) });
  }

  /** Locks the grants in the order of their ids, so that two transactions never end in a deadlock. */
  async holdGrants(ids: readonly string[]) {
    if (ids.length === 0) return [];
    const query = this.db.selectFrom('grants').selectAll().where('id', 'in', ids).orderBy('id');
    return (await (this.hasOtherWriters ? query.forUpdate() : query).execute()).map(grantOf);
  }

  async countUses({ id, version, uses, usedAtMs }: Grant, count: number) {
    const values = { id, version, uses, used_at_ms: usedAtMs, before: version - count };
    return (await this.run(countUsesQuery, values)).changes === 1;
  }

  async replaceGrant(grant: Grant) {
    const values = { ...changingColumns(grant), id: grant.id, before: grant.version - 1 };
    return (await this.run(replaceGrantQuery, values)).changes === 1;
  }

  async insertApprovers(sealed: SealedApprovers) {
    const { sequence } = sealed.document;
    await this.db
      .insertInto('approver_lists')
      .values({ sequence, list: JSON.stringify(sealed) })
      .execute();
  }

  async insertPolicy(policy: Policy) {
    await this.db.insertInto('policies').values(policyRow(policy)).execute();
  }

  async holdPolicies(ids: readonly string[]) {
    if (ids.length === 0) return [];
    const query = this.db.selectFrom('policies').selectAll().where('id', 'in', ids).orderBy('id');
    return (await (this.hasOtherWriters ? query.forUpdate() : query).execute()).map(policyOf);
  }

  async endPolicy(id: string, atMs: number) {
    const { numUpdatedRows } = await this.db
      .updateTable('policies')
      .set({ ended_at_ms: atMs })
      .where('id', '=', id)
      .where('ended_at_ms', 'is', null)
      .executeTakeFirst();
    return numUpdatedRows === 1n;
  }

  async usePolicy(id: string) {
    const { numUpdatedRows } = await this.db
      .updateTable('policies')
      .set((now) => ({ uses: now('uses', '+', 1) }))
      .where('id', '=', id)
      .where('ended_at_ms', 'is', null)
      .executeTakeFirst();
    return numUpdatedRows === 1n;
  }

  record(event: AuditEvent) {
    this.recorded.push(event);
  }

  async prune(nowMs: number) {
    for (const table of ['tokens', 'sessions', 'owner_links', 'spent_challenges'] as const)
      await this.db.deleteFrom(table).where('expires_at_ms', '<', nowMs).execute();
  }

  /**
   * Appends the recorded events. This locks the head row until the commit, so it is the last step of a transaction. Numbers follow the
   * order of commits, so a reader that has seen number n never misses a smaller one.
   *
   * With other writers, a transaction with only uses and reports does not take the lock; its events are numbered later (`late`). A
   * transaction that numbers events first numbers the waiting events of others (`numbered`), so that the record has a use of a grant
   * before its later revocation.
   */
  async appendRecorded(): Promise<Appended> {
    const count = this.recorded.length;
    if (count === 0) return { events: [], late: 0, numbered: 0 };
    if (this.hasOtherWriters && this.recorded.every(({ kind }) => LATE_KINDS.has(kind))) {
      await this.connection.shared.insertUnnumbered(this.recorded.map(unnumberedRow));
      return { events: [], late: count, numbered: 0 };
    }
    const { lastSeq, numbered } = await this.numberAll(this.recorded.map(eventColumns));
    const before = lastSeq - count;
    const events = this.recorded.map((event, at) => ({ ...event, seq: before + at + 1, prevHash: null, hash: null }));
    return { events, late: 0, numbered };
  }

  private async numberAll(events: readonly EventColumns[]): Promise<Numbered> {
    for (let others = 0; ; ) {
      const { lastSeq, numbered } = await this.connection.shared.appendEvents(events);
      others += numbered;
      if (numbered < MAX_NUMBERED) return { lastSeq, numbered: others };
    }
  }
}

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

const isOfPlan = (found: HostFacts | PlanFindings | null): found is PlanFindings => Array.isArray(found);
