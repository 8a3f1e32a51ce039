/** A store in memory, for tests. One transaction writes at a time, and a failed transaction changes nothing. */
import type { HostFacts } from '../../src/core/effects/host-facts.ts';
import type { Failure } from '../../src/core/failure.ts';
import type { AuditEvent, StoredAuditEvent } from '../../src/core/grant/audit-event.ts';
import { compareForUse, expiryAtMs, type Grant, stateAt } from '../../src/core/grant/grant.ts';
import type { GrantMatch } from '../../src/core/grant/grant-match.ts';
import type { Policy } from '../../src/core/policy/policy.ts';
import { failed, type Result, success } from '../../src/core/result.ts';
import type { SealedApprovers } from '../../src/core/wire/sealed.ts';
import type { IdempotentCall } from '../../src/store/idempotency-rows.ts';
import type { KeyRequest, ReplacedKey } from '../../src/store/key-rows.ts';
import { listedGrant } from '../../src/store/listed-request.ts';
import { MemoryIdempotencyRows } from '../../src/store/memory-idempotency-rows.ts';
import type { Passkey } from '../../src/store/passkeys.ts';
import type { Pause } from '../../src/store/pause-rows.ts';
import type { RemovedRows, RetentionClass } from '../../src/store/retention-rows.ts';
import { MAX_LISTED_SESSIONS } from '../../src/store/session-rows.ts';
import { useInTransaction } from '../../src/store/standing-uses.ts';
import {
  type ApproverSession,
  type Committed,
  type Credential,
  type Enrolment,
  type EventMark,
  FIRST_MARK,
  type GrantFilter,
  MAX_PAST_REQUEST_BYTES,
  type NamedKeys,
  type PlanHostFacts,
  type Store,
  type StoreReader,
  type StoreWriter,
  type Subject,
  type TokenHolder,
} from '../../src/store/store.ts';
import { storeFailure } from '../../src/store/store-fault.ts';
import { MemoryHistory } from './memory-history.ts';
import { MemoryKeys } from './memory-keys.ts';
import { MemoryNotificationRows, NotificationMaps } from './memory-notification-rows.ts';
import { MemoryPasskeys, type PasskeyTables, type RecoveryCode } from './memory-passkeys.ts';
import { MemoryRetentionRows } from './memory-retention-rows.ts';

class Tables implements PasskeyTables {
  readonly subjects = new Map<string, Subject>();
  readonly enrolments = new Map<string, Enrolment>();
  readonly tokens = new Map<string, Credential>();
  readonly sessions = new Map<string, ApproverSession>();
  readonly ownerLinks = new Map<string, Credential & { readonly usedAtMs: number | null }>();
  readonly spentChallenges = new Map<string, { readonly expiresAtMs: number }>();
  readonly grants = new Map<string, Grant>();
  readonly hostFacts = new Map<string, HostFacts | PlanHostFacts>();
  readonly pauses = new Map<string, Pause>();
  readonly replacedKeys = new Map<string, ReplacedKey>();
  readonly keyRequests = new Map<string, KeyRequest>();
  readonly matches = new Map<string, GrantMatch>();
  readonly policies = new Map<string, Policy>();
  readonly passkeys = new Map<string, Passkey>();
  readonly recoveryCodes = new Map<string, RecoveryCode>();
  readonly ownerSettings = new Map<string, string>();
  readonly approverLists = new Map<string, SealedApprovers>();
  readonly events = new Map<number, StoredAuditEvent>();
  readonly idempotentCalls = new Map<string, IdempotentCall>();
  readonly notifications = new NotificationMaps();
  readonly removed = new Map<RetentionClass, RemovedRows>();
  /** The number of the last event, also if that event was removed. */
  lastSeq = 0;
}

export function openMemoryStore(): Store {
  const tables = new Tables();
  let lastTurn: Promise<unknown> = Promise.resolve();

  async function write<T>(work: (rows: StoreWriter) => Promise<T>): Promise<Result<Committed<T>, Failure>> {
    const rows = new MemoryRows(tables);
    try {
      const value = await work(rows);
      return success({ value, events: rows.appendRecorded() });
    } catch (error) {
      rows.undo();
      return failed(storeFailure(error, 'memory'));
    }
  }

  function inTurn<T>(work: (rows: StoreWriter) => Promise<T>): Promise<Result<Committed<T>, Failure>> {
    const turn = lastTurn.then(() => write(work));
    lastTurn = turn;
    return turn;
  }

  return {
    name: 'memory',
    isShared: false,
    isInProcess: true,
    async read(work) {
      try {
        return success(await work(new MemoryRows(tables)));
      } catch (error) {
        return failed(storeFailure(error, 'memory'));
      }
    },
    write: inTurn,
    useStanding: (question, decide) => inTurn((rows) => useInTransaction(rows, question, decide)),
    onUnseenEvents: () => () => undefined,
    copyTo: null,
    check: async () => success([]),
    async close() {},
  };
}

const isLive = (grant: Grant, nowMs: number) => ['pending', 'approved'].includes(stateAt(grant, nowMs));

const newestFirst = (left: Grant | Policy, right: Grant | Policy): number =>
  right.createdAtMs - left.createdAtMs || (left.id < right.id ? -1 : 1);

const oldestFirst = (left: Grant, right: Grant): number =>
  left.createdAtMs - right.createdAtMs || (left.id < right.id ? -1 : 1);

const byteLength = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

/** @param isLaterInTie whether the row comes after the last seen row of the same millisecond */
const isBefore = (atMs: number, beforeMs: number | undefined, isLaterInTie: boolean): boolean =>
  beforeMs === undefined || atMs < beforeMs || (atMs === beforeMs && isLaterInTie);

const STANDING_CHANGES: ReadonlySet<AuditEvent['kind']> = new Set([
  'grant.approved',
  'grant.revoked',
  'policy.created',
  'policy.ended',
  'record.cut',
]);

class MemoryRows implements StoreReader, StoreWriter {
  readonly passkeys: MemoryPasskeys;
  readonly idempotency: MemoryIdempotencyRows;
  readonly notifications: MemoryNotificationRows;
  readonly retention: MemoryRetentionRows;
  readonly keys: MemoryKeys;
  readonly history: MemoryHistory;
  private readonly tables: Tables;
  private readonly undoSteps: (() => void)[] = [];
  private readonly recorded: AuditEvent[] = [];

  constructor(tables: Tables) {
    this.tables = tables;
    this.passkeys = new MemoryPasskeys(tables, (table, key, row) => this.set(table, key, row));
    this.keys = new MemoryKeys(tables, (table, key, row) => this.set(table, key, row));
    this.idempotency = new MemoryIdempotencyRows(tables.idempotentCalls, (table, key, row) =>
      this.set(table, key, row),
    );
    const { grants, hostFacts, matches, events, removed } = tables;
    const retained = { grants, besideGrants: [hostFacts, matches], jobs: tables.notifications.jobs, events, removed };
    this.retention = new MemoryRetentionRows(retained, (table, key, row) => this.set(table, key, row));
    this.history = new MemoryHistory(this, tables);
    this.notifications = new MemoryNotificationRows(tables.notifications, tables, (table, key, row) =>
      this.set(table, key, row),
    );
  }

  async subject(id: string) {
    return this.tables.subjects.get(id);
  }
  async subjectByPublicKey(publicKey: string) {
    return [...this.tables.subjects.values()].find((subject) => subject.publicKey === publicKey);
  }
  async tokenHolders(hashes: readonly string[], nowMs: number) {
    const found = new Map<string, TokenHolder>();
    for (const hash of hashes) {
      const token = this.tables.tokens.get(hash);
      const subject = this.holder(token, nowMs);
      if (token && subject) found.set(hash, { subject, expiresAtMs: token.expiresAtMs });
    }
    return found;
  }
  async sessionHolder(hash: string, nowMs: number) {
    const session = this.tables.sessions.get(hash);
    const subject = this.holder(session, nowMs);
    return session && subject && { subject, session };
  }
  async sessionsOf(subjectId: string, nowMs: number) {
    const own = [...this.tables.sessions.values()].filter(
      (one) => one.subjectId === subjectId && one.expiresAtMs > nowMs,
    );
    own.sort((left, right) => right.lastSeenAtMs - left.lastSeenAtMs || (left.hash < right.hash ? -1 : 1));
    return own.slice(0, MAX_LISTED_SESSIONS);
  }
  async ownerLinkIsLive(hash: string, nowMs: number) {
    const link = this.tables.ownerLinks.get(hash);
    const subject = await this.subject(link?.subjectId ?? '');
    return link?.usedAtMs === null && link.expiresAtMs > nowMs && subject?.revokedAtMs === null;
  }
  async enrolment(id: string) {
    return this.tables.enrolments.get(id);
  }
  async pendingEnrolments(nowMs: number) {
    const waiting = [...this.tables.enrolments.values()].filter(
      (one) => one.state === 'pending' && one.expiresAtMs > nowMs,
    );
    return waiting.sort((left, right) => right.createdAtMs - left.createdAtMs);
  }
  async grant(id: string) {
    return this.tables.grants.get(id);
  }
  async requesterOf(grantId: string) {
    return this.tables.grants.get(grantId)?.requesterId;
  }
  async coveringGrants(requesterId: string, fingerprint: string, nowMs: number) {
    return this.sameRequest(requesterId, fingerprint)
      .filter((grant) => stateAt(grant, nowMs) === 'approved')
      .sort(compareForUse);
  }
  async scopedGrants(requesterId: string, nowMs: number) {
    return [...this.tables.grants.values()]
      .filter((grant) => grant.requesterId === requesterId && grant.scope !== null)
      .filter((grant) => stateAt(grant, nowMs) === 'approved')
      .sort(compareForUse);
  }
  async pause(requesterId: string) {
    return this.tables.pauses.get(requesterId);
  }
  async pauses() {
    return [...this.tables.pauses.values()].sort((left, right) => left.sinceMs - right.sinceMs);
  }
  async hasApprovedDeciding(requesterId: string, approvedDeciding: string, exceptId: string | null) {
    return [...this.tables.grants.values()].some(
      (grant) =>
        grant.requesterId === requesterId &&
        grant.approvedDeciding === approvedDeciding &&
        grant.id !== exceptId &&
        (grant.state === 'approved' || grant.state === 'used'),
    );
  }
  async match(grantId: string) {
    return this.tables.matches.get(grantId);
  }
  async hostFacts(grantId: string) {
    const found = this.tables.hostFacts.get(grantId) ?? null;
    return isOfPlan(found) ? null : found;
  }
  async planHostFacts(grantId: string) {
    const found = this.tables.hostFacts.get(grantId) ?? null;
    return isOfPlan(found) ? found : [];
  }
  async pastRequests(requesterId: string, limit: number) {
    return [...this.tables.grants.values()]
      .filter((grant) => grant.requesterId === requesterId)
      .sort(newestFirst)
      .flatMap(({ id, request, createdAtMs }) => {
        const hostFacts = this.tables.hostFacts.get(id);
        const bytes = byteLength(request) + byteLength(hostFacts ?? null);
        return hostFacts === undefined || isOfPlan(hostFacts) || bytes > MAX_PAST_REQUEST_BYTES
          ? []
          : [{ grantId: id, atMs: createdAtMs, request, findings: hostFacts }];
      })
      .slice(0, limit);
  }
  async approverLists(afterSequence: number, limit: number) {
    const lists = [...this.tables.approverLists.values()].filter(({ document }) => document.sequence > afterSequence);
    return lists.sort((a, b) => a.document.sequence - b.document.sequence).slice(0, limit);
  }
  async lastApprovers() {
    return (await this.approverLists(0, Number.POSITIVE_INFINITY)).at(-1);
  }
  async approversSequence() {
    return (await this.lastApprovers())?.document.sequence ?? 0;
  }
  async refusedKeys({ publicKeys, credentials }: NamedKeys) {
    const isRevoked = (subject: Subject | undefined) => subject !== undefined && subject.revokedAtMs !== null;
    const passkeys = [...this.tables.passkeys.values()].filter(({ credentialId }) =>
      credentials.includes(credentialId),
    );
    const refused = passkeys.filter(
      ({ subjectId, revokedAtMs, copiedAtMs }) =>
        revokedAtMs !== null || copiedAtMs !== null || isRevoked(this.tables.subjects.get(subjectId)),
    );
    const isRefused = async (key: string) => isRevoked(await this.subjectByPublicKey(key));
    const answers = await Promise.all(publicKeys.map(isRefused));
    return {
      publicKeys: publicKeys.filter((_, at) => answers[at]),
      credentials: refused.map(({ credentialId }) => credentialId),
    };
  }
  async approvedBySeal(keyId: string) {
    const grants = [...this.tables.grants.values()].filter(
      ({ state, sealed }) =>
        state === 'approved' && [sealed, ...(sealed?.also ?? [])].some((each) => each?.seal.keyId === keyId),
    );
    const policies = [...this.tables.policies.values()].filter(
      (each) => each.effect === 'allow-reading' && each.endedAtMs === null && each.sealed?.seal.keyId === keyId,
    );
    return { grants, policies };
  }
  async policy(id: string) {
    return this.tables.policies.get(id);
  }
  async policies({ isLive, limit }: { readonly isLive: boolean; readonly limit: number }) {
    const found = [...this.tables.policies.values()].filter(({ endedAtMs }) => (endedAtMs === null) === isLive);
    return found.sort(newestFirst).slice(0, limit);
  }
  async livePolicies() {
    return [...this.tables.policies.values()].filter(({ endedAtMs }) => endedAtMs === null);
  }
  async requesters() {
    const found = [...this.tables.subjects.values()].filter(({ role }) => role === 'requester');
    return found.sort((left, right) =>
      left.name < right.name || (left.name === right.name && left.id < right.id) ? -1 : 1,
    );
  }
  async pendingGrant(requesterId: string, fingerprint: string, nowMs: number) {
    return this.sameRequest(requesterId, fingerprint)
      .filter((grant) => stateAt(grant, nowMs) === 'pending')
      .sort((left, right) => left.createdAtMs - right.createdAtMs)[0];
  }
  async grants(filter: GrantFilter) {
    const { requesterId, states, isStanding, isPlan, beforeMs, beforeId, idPrefix = '', nowMs } = filter;
    const found = [...this.tables.grants.values()]
      .filter((grant) => requesterId === undefined || grant.requesterId === requesterId)
      .filter((grant) => grant.id.startsWith(idPrefix))
      .filter(({ createdAtMs, id }) => isBefore(createdAtMs, beforeMs, beforeId !== undefined && id > beforeId))
      .filter((grant) => states === undefined || states.includes(stateAt(grant, nowMs)))
      .filter(({ partUses }) => isPlan !== true || partUses !== undefined)
      .filter((grant) => isStanding !== true || (stateAt(grant, nowMs) === 'approved' && grant.term?.kind !== 'once'))
      .sort(newestFirst)
      .slice(0, filter.limit);
    return found.map(listedGrant);
  }
  async listed(ids: readonly string[]) {
    return ids.flatMap((id) => this.tables.grants.get(id) ?? []).map(listedGrant);
  }
  async waitingInTurns(limit: number, nowMs: number) {
    const turns = new Map<string, number>();
    const inTurn = [...this.tables.grants.values()]
      .filter((grant) => stateAt(grant, nowMs) === 'pending')
      .sort(oldestFirst)
      .map((grant) => {
        const turn = (turns.get(grant.requesterId) ?? 0) + 1;
        turns.set(grant.requesterId, turn);
        return { grant, turn };
      });
    inTurn.sort((left, right) => left.turn - right.turn || oldestFirst(left.grant, right.grant));
    return inTurn.slice(0, limit).map(({ grant }) => listedGrant(grant));
  }
  async pendingOf(requesterId: string, nowMs: number) {
    const pending = [...this.tables.grants.values()].filter(
      (grant) => grant.requesterId === requesterId && stateAt(grant, nowMs) === 'pending',
    );
    return { count: pending.length, bytes: pending.reduce((total, { request }) => total + byteLength(request), 0) };
  }
  async countPending(nowMs: number) {
    return [...this.tables.grants.values()].filter((grant) => stateAt(grant, nowMs) === 'pending').length;
  }
  async nextExpiryMs(afterMs: number) {
    const expiries = [...this.tables.grants.values()]
      .map((grant) => expiryAtMs(grant) ?? 0)
      .filter((atMs) => atMs > afterMs);
    return expiries.length === 0 ? null : expiries.reduce((left, right) => Math.min(left, right));
  }
  async expiredBetween(afterMs: number, untilMs: number) {
    const live = [...this.tables.grants.values()].filter((grant) => isLive(grant, afterMs));
    return live.filter((grant) => !isLive(grant, untilMs)).map((grant) => grant.id);
  }
  async events(afterSeq: number, limit: number) {
    return [...this.tables.events.values()].filter((event) => event.seq > afterSeq).slice(0, limit);
  }
  async standingChanges({ seq: afterSeq, atMs }: EventMark) {
    if (afterSeq > 0 && this.tables.events.get(afterSeq)?.atMs !== atMs) return null;
    return [...this.tables.events.values()].filter(({ seq, kind }) => seq > afterSeq && STANDING_CHANGES.has(kind));
  }
  async repeats(grantIds: readonly string[], most: number) {
    const counted = await Promise.all(
      grantIds.map(async (id) => [id, (await this.eventsOf(id, 'grant.repeated', most)).length] as const),
    );
    return new Map(counted.filter(([, times]) => times > 0));
  }

  async eventsOf(grantId: string, kind: AuditEvent['kind'], limit: number) {
    const found = [...this.tables.events.values()].filter((event) => event.grantId === grantId && event.kind === kind);
    return found.toReversed().slice(0, limit);
  }
  async lastSeq() {
    return this.tables.lastSeq;
  }
  async lastMark() {
    return [...this.tables.events.values()].at(-1) ?? FIRST_MARK;
  }

  async lockRequest() {}
  async insertSubject(subject: Subject) {
    if (subject.publicKey !== null && (await this.subjectByPublicKey(subject.publicKey)))
      throw new Error('public key exists');
    this.insert(this.tables.subjects, subject.id, subject);
  }
  async revokeSubject(id: string, atMs: number) {
    const subject = this.tables.subjects.get(id);
    if (subject === undefined || subject.revokedAtMs !== null) return false;
    this.set(this.tables.subjects, id, { ...subject, revokedAtMs: atMs });
    return true;
  }
  async changeRole(id: string, role: 'approver' | 'auditor') {
    const subject = this.tables.subjects.get(id);
    const isPerson = subject?.role === 'approver' || subject?.role === 'auditor';
    if (subject === undefined || !isPerson || subject.revokedAtMs !== null) return false;
    this.set(this.tables.subjects, id, { ...subject, role });
    return true;
  }
  async insertEnrolment(enrolment: Enrolment) {
    this.insert(this.tables.enrolments, enrolment.id, enrolment);
  }
  async insertNonce(id: string, nonce: string) {
    const known = this.tables.enrolments.get(id);
    if (known?.state !== 'pending' || known.nonce !== null) return false;
    this.set(this.tables.enrolments, id, { ...known, nonce });
    return true;
  }
  async replaceEnrolment({ id, state, decidedAtMs, decidedBy, requesterId }: Enrolment) {
    const known = this.tables.enrolments.get(id);
    if (known?.state !== 'pending') return false;
    if (state === 'approved' && known.commitment !== null && known.nonce === null) throw new Error('has no nonce');
    this.set(this.tables.enrolments, id, { ...known, state, decidedAtMs, decidedBy, requesterId });
    return true;
  }
  async insertSession(session: ApproverSession) {
    this.insert(this.tables.sessions, session.hash, session);
  }
  async touchSession(hash: string, lastSeenAtMs: number, expiresAtMs: number) {
    const session = this.tables.sessions.get(hash);
    if (session !== undefined) this.set(this.tables.sessions, hash, { ...session, lastSeenAtMs, expiresAtMs });
  }
  async endSession(hash: string) {
    this.set(this.tables.sessions, hash, undefined);
  }
  async endSessionsOf(subjectId: string, exceptHash: string | null) {
    const own = [...this.tables.sessions.values()].filter(
      (one) => one.subjectId === subjectId && one.hash !== exceptHash,
    );
    for (const { hash } of own) this.set(this.tables.sessions, hash, undefined);
    return own.length;
  }
  async insertOwnerLink(link: Credential) {
    this.insert(this.tables.ownerLinks, link.hash, { ...link, usedAtMs: null });
  }
  async spendOwnerLink(hash: string, nowMs: number) {
    const link = this.tables.ownerLinks.get(hash);
    if (link === undefined || !(await this.ownerLinkIsLive(hash, nowMs))) return undefined;
    this.set(this.tables.ownerLinks, hash, { ...link, usedAtMs: nowMs });
    return link.subjectId;
  }
  async spendChallenge(hash: string, expiresAtMs: number) {
    if (this.tables.spentChallenges.has(hash)) return false;
    this.set(this.tables.spentChallenges, hash, { expiresAtMs });
    return true;
  }
  async insertToken(token: Credential) {
    this.insert(this.tables.tokens, token.hash, token);
  }
  async insertGrant(grant: Grant, hostFacts: HostFacts | PlanHostFacts | null = null) {
    this.insert(this.tables.grants, grant.id, grant);
    if (hostFacts !== null) this.insert(this.tables.hostFacts, grant.id, hostFacts);
  }
  async insertPause(pause: Pause) {
    if (this.tables.pauses.has(pause.requesterId)) return false;
    this.set(this.tables.pauses, pause.requesterId, pause);
    return true;
  }
  async endPause(requesterId: string) {
    if (!this.tables.pauses.has(requesterId)) return false;
    this.set(this.tables.pauses, requesterId, undefined);
    return true;
  }
  async insertMatch(match: GrantMatch) {
    this.insert(this.tables.matches, match.grantId, match);
  }
  async countWrongPick({ grantId, wrong }: GrantMatch) {
    const stored = this.tables.matches.get(grantId);
    if (stored?.wrong !== wrong) return false;
    this.set(this.tables.matches, grantId, { ...stored, wrong: wrong + 1 });
    return true;
  }
  async holdGrants(ids: readonly string[]) {
    return ids.toSorted().flatMap((id) => this.tables.grants.get(id) ?? []);
  }
  async countUses(grant: Grant, count: number) {
    if (this.tables.grants.get(grant.id)?.version !== grant.version - count) return false;
    this.set(this.tables.grants, grant.id, grant);
    return true;
  }
  async replaceGrant(grant: Grant) {
    if (this.tables.grants.get(grant.id)?.version !== grant.version - 1) return false;
    this.set(this.tables.grants, grant.id, grant);
    return true;
  }
  async insertApprovers(sealed: SealedApprovers) {
    this.insert(this.tables.approverLists, String(sealed.document.sequence), sealed);
  }
  async insertPolicy(policy: Policy) {
    this.insert(this.tables.policies, policy.id, policy);
  }
  async holdPolicies(ids: readonly string[]) {
    return ids.toSorted().flatMap((id) => this.tables.policies.get(id) ?? []);
  }
  async endPolicy(id: string, atMs: number) {
    return this.changePolicy(id, { endedAtMs: atMs });
  }
  async usePolicy(id: string) {
    return this.changePolicy(id, { uses: (this.tables.policies.get(id)?.uses ?? 0) + 1 });
  }
  async tryWriting() {}
  record(event: AuditEvent) {
    this.recorded.push(event);
  }
  async removeCredentials() {
    const { tokens, sessions, ownerLinks } = this.tables;
    for (const table of [tokens, sessions, ownerLinks] as Map<string, unknown>[])
      for (const key of table.keys()) this.set(table, key, undefined);
  }
  async prune(nowMs: number) {
    const { tokens, sessions, ownerLinks, spentChallenges } = this.tables;
    for (const table of [tokens, sessions, ownerLinks, spentChallenges] as Map<string, { expiresAtMs: number }>[])
      for (const [key, row] of table) if (row.expiresAtMs < nowMs) this.set(table, key, undefined);
  }

  appendRecorded(): readonly StoredAuditEvent[] {
    const first = this.tables.lastSeq + 1;
    const events = this.recorded.map((event, index) => ({ ...event, seq: first + index, prevHash: null, hash: null }));
    for (const event of events) this.tables.events.set(event.seq, event);
    this.tables.lastSeq += events.length;
    return events;
  }

  undo() {
    for (const step of this.undoSteps.reverse()) step();
  }

  /** Changes a policy that has not ended. Returns false for any other policy. */
  private changePolicy(id: string, change: Partial<Pick<Policy, 'endedAtMs' | 'uses'>>): boolean {
    const policy = this.tables.policies.get(id);
    if (policy === undefined || policy.endedAtMs !== null) return false;
    this.set(this.tables.policies, id, { ...policy, ...change });
    return true;
  }

  private holder(credential: Credential | undefined, nowMs: number): Subject | undefined {
    if (credential === undefined || credential.expiresAtMs <= nowMs) return undefined;
    const subject = this.tables.subjects.get(credential.subjectId);
    return subject?.revokedAtMs === null ? subject : undefined;
  }

  private sameRequest(requesterId: string, fingerprint: string): Grant[] {
    const grants = [...this.tables.grants.values()];
    return grants.filter((grant) => grant.requesterId === requesterId && grant.fingerprint === fingerprint);
  }

  private insert<Row>(table: Map<string, Row>, key: string, row: Row) {
    if (table.has(key)) throw new Error(`${key} exists`);
    this.set(table, key, row);
  }

  /** Writes one row; `undefined` removes the row. */
  private set<Key, Row>(table: Map<Key, Row>, key: Key, row: Row | undefined) {
    const before = table.get(key);
    this.undoSteps.push(() => (before === undefined ? table.delete(key) : table.set(key, before)));
    if (row === undefined) table.delete(key);
    else table.set(key, row);
  }
}

const isOfPlan = (found: HostFacts | PlanHostFacts | null): found is PlanHostFacts => Array.isArray(found);
