/**
 * The interface of the store of grants, people and events. A change and its audit events are written in one transaction. Grants are
 * changed by compare-and-set.
 *
 * If the database fails, the methods of `StoreReader` and `StoreWriter` throw, and the methods of `Store` return a `Failure`.
 */
import type { HostFacts } from '../core/effects/host-facts.ts';
import type { Failure } from '../core/failure.ts';
import type { AuditEvent, StoredAuditEvent } from '../core/grant/audit-event.ts';
import type { Grant, GrantState } from '../core/grant/grant.ts';
import type { GrantMatch } from '../core/grant/grant-match.ts';
import type { ExecutionRequest } from '../core/grant/request.ts';
import type { Policy } from '../core/policy/policy.ts';
import type { Result } from '../core/result.ts';
import type { SealedApprovers } from '../core/wire/sealed.ts';
import type { HistoryReader } from './history-rows.ts';
import type { IdempotencyRows } from './idempotency-rows.ts';
import type { RequesterKeyReader, RequesterKeyWriter } from './key-rows.ts';
import type { ListedGrant } from './listed-request.ts';
import type { NotificationReader, NotificationWriter } from './notification-store.ts';
import type { PasskeyReader, PasskeyWriter } from './passkeys.ts';
import type { Pause } from './pause-rows.ts';
import type { RetentionReader, RetentionWriter } from './retention-rows.ts';
import type { CountedUses, DecideUses, StandingQuestion } from './standing-uses.ts';

/**
 * - `auditor`: sees what an approver sees, and decides nothing
 * - `break-glass`: a person who signed in with a break-glass code. This person can decide alone for 15 minutes
 */
export type Role = 'requester' | 'approver' | 'auditor' | 'break-glass';

/**
 * A subject that the server knows: a requester, a person, or an approver's key. On a command line, `apes` signs in with such a key.
 * @property host        the host of a requester; empty for other subjects
 * @property user        the user on this host who sends the requests; empty for other subjects
 * @property publicKey   raw Ed25519, base64url; null for people, who sign in with a link, a passkey or a code
 * @property revokedAtMs null: not revoked
 */
export interface Subject {
  readonly id: string;
  readonly role: Role;
  readonly name: string;
  readonly host: string;
  readonly user: string;
  readonly publicKey: string | null;
  readonly createdAtMs: number;
  readonly revokedAtMs: number | null;
}

/**
 * A host asks to use this server. A `pending` enrolment counts as expired after `expiresAtMs`. `decidedAtMs` and `decidedBy` are null
 * before the decision. `requesterId` is null if the enrolment was not approved.
 */
export interface Enrolment {
  readonly id: string;
  readonly state: 'pending' | 'approved' | 'denied';
  readonly name: string;
  readonly host: string;
  readonly user: string;
  readonly publicKey: string;
  /** SHA-256 of the host's nonce, base64url; null: the enrolment is older than nonces, and never gets a nonce. */
  readonly commitment: string | null;
  /** 32 bytes, base64url; null: the host has not sent the nonce. */
  readonly nonce: string | null;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
  readonly decidedAtMs: number | null;
  readonly decidedBy: string | null;
  readonly requesterId: string | null;
}

/** A secret that identifies a subject until it expires. Only its SHA-256 (hex) is stored. */
export interface Credential {
  readonly hash: string;
  readonly subjectId: string;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
}

/**
 * A sign-in of a person.
 * @property passkeyId the passkey that the person used to sign in, or registered in this sign-in; null: there is no such passkey. The
 *                     sign-in ends when this passkey is removed or blocked (`copiedAtMs`)
 * @property browser   the name that the browser sent, so that the person recognises the sign-in; null: the browser sent no name
 */
export interface ApproverSession extends Credential {
  readonly lastSeenAtMs: number;
  readonly passkeyId: string | null;
  readonly browser: string | null;
}

/**
 * Selects grants, the newest first. Grants of the same millisecond are sorted by id. An absent member restricts nothing.
 * @property states   the states at `nowMs`; after its expiry, a pending or approved grant counts as `expired`
 * @property beforeMs only grants that were made before this time
 * @property limit    1 to 200
 */
export interface GrantFilter {
  readonly requesterId?: string;
  readonly states?: readonly GrantState[];
  /** Only standing grants (`timed` or `always`) that are approved and live. */
  readonly isStanding?: boolean;
  /** Only plans. */
  readonly isPlan?: boolean;
  readonly beforeMs?: number;
  /** Only with `beforeMs`: also select the grants of exactly that millisecond with a greater id. */
  readonly beforeId?: string;
  /** Only ids that begin with this text. The text has only letters, digits and `_`. */
  readonly idPrefix?: string;
  readonly limit: number;
  readonly nowMs: number;
}

/**
 * Selects uses, the newest first. A use is the event of a command that ran under a grant or a policy, or that a policy forbade. An absent
 * member restricts nothing.
 * @property beforeMs only uses before this time
 * @property limit    1 to 5,000
 */
export interface UseFilter {
  readonly beforeMs?: number;
  /** Only with `beforeMs`: also select the events of exactly that millisecond with a smaller number. */
  readonly beforeSeq?: number;
  readonly limit: number;
}

/**
 * The maximum length of a past request with its host facts, in bytes of JSON. A longer request seldom helps to show what a scope would
 * have covered: its line is often opaque. A line of more than 65,536 UTF-16 code units always is.
 */
export const MAX_PAST_REQUEST_BYTES = 128 * 1024;

/** A past request, with its host facts from that time. Past requests show what a scope would have covered. */
interface PastRequest {
  readonly grantId: string;
  readonly atMs: number;
  readonly request: ExecutionRequest;
  readonly findings: HostFacts;
}

export interface TokenHolder {
  readonly subject: Subject;
  readonly expiresAtMs: number;
}

/** The host facts of each part of a plan, in order; null: the host sent no facts for this part. */
export type PlanHostFacts = readonly (HostFacts | null)[];

/** Identifies an event. The number is not enough: after a failover that lost events, another event can have the same number. */
export type EventMark = Pick<StoredAuditEvent, 'seq' | 'atMs'>;

/** The mark before the first event. */
export const FIRST_MARK: EventMark = { seq: 0, atMs: 0 };

/**
 * @property publicKeys  Ed25519 keys of subjects
 * @property credentials credential ids of passkeys
 */
export interface NamedKeys {
  readonly publicKeys: readonly string[];
  readonly credentials: readonly string[];
}

/**
 * Reads the store. The methods with a `hash` find only rows that are live at `nowMs`. A row is live if it has not expired and its subject
 * is not revoked. A link must also be unused.
 */
export interface StoreReader {
  readonly retention: RetentionReader;
  readonly passkeys: PasskeyReader;
  readonly notifications: NotificationReader;
  readonly keys: RequesterKeyReader;
  readonly history: HistoryReader;
  /** This method and `subjectByPublicKey` also find revoked subjects. */
  subject(id: string): Promise<Subject | undefined>;
  subjectByPublicKey(publicKey: string): Promise<Subject | undefined>;
  /** Returns the holders of the live tokens. The keys of the map are the hashes of the tokens. */
  tokenHolders(hashes: readonly string[], nowMs: number): Promise<ReadonlyMap<string, TokenHolder>>;
  sessionHolder(hash: string, nowMs: number): Promise<{ subject: Subject; session: ApproverSession } | undefined>;
  /** Returns at most `MAX_LISTED_SESSIONS` live sign-ins of a person. The sign-in with the latest use is first. */
  sessionsOf(subjectId: string, nowMs: number): Promise<readonly ApproverSession[]>;
  ownerLinkIsLive(hash: string, nowMs: number): Promise<boolean>;
  enrolment(id: string): Promise<Enrolment | undefined>;
  /** Returns the enrolments that are pending and have not expired, the newest first. */
  pendingEnrolments(nowMs: number): Promise<readonly Enrolment[]>;
  grant(id: string): Promise<Grant | undefined>;
  /** Returns the id of the grant's requester; undefined if there is no such grant. */
  requesterOf(grantId: string): Promise<string | undefined>;
  /** Returns the approved and live grants for exactly this request, in the order in which they should be used. */
  coveringGrants(requesterId: string, fingerprint: string, nowMs: number): Promise<readonly Grant[]>;
  /** Returns all approved and live grants of the requester that have a scope, in the same order as `coveringGrants`. */
  scopedGrants(requesterId: string, nowMs: number): Promise<readonly Grant[]>;
  /** Returns the host facts of the request; null in three cases: the host sent no facts, the grant is a plan, or there is no such grant. */
  hostFacts(grantId: string): Promise<HostFacts | null>;
  /** Returns the host facts of each part of a plan; an empty list if the grant is not a plan. */
  planHostFacts(grantId: string): Promise<PlanHostFacts>;
  /**
   * Whether these deciding variables were approved for the requester, in a grant that was not revoked. The grant `exceptId` does not count.
   * @param approvedDeciding the digest of the variables, as in `Grant`
   */
  hasApprovedDeciding(requesterId: string, approvedDeciding: string, exceptId: string | null): Promise<boolean>;
  /** Returns the number that the approver has to pick for this request; undefined if the request needs no number. */
  match(grantId: string): Promise<GrantMatch | undefined>;
  /**
   * Takes the newest 2,000 requests of the requester that are not plans. Of these, takes the newest `limit` requests with host facts.
   * Leaves out the requests that are longer than `MAX_PAST_REQUEST_BYTES`. Returns the rest, the newest first.
   * @param limit 1 to 500
   */
  pastRequests(requesterId: string, limit: number): Promise<readonly PastRequest[]>;
  policy(id: string): Promise<Policy | undefined>;
  /** Returns policies, the newest first. `isLive`: true for policies in force, false for ended policies. `limit`: 1 to 1,000. */
  policies(filter: { readonly isLive: boolean; readonly limit: number }): Promise<readonly Policy[]>;
  /** Returns all policies that are in force now. */
  livePolicies(): Promise<readonly Policy[]>;
  /**
   * Returns the lists of approvers with a sequence number above `afterSequence`, in order.
   * @param limit 1 to 1,000
   */
  approverLists(afterSequence: number, limit: number): Promise<readonly SealedApprovers[]>;
  /** Returns the newest list of approvers; undefined if there is no list. */
  lastApprovers(): Promise<SealedApprovers | undefined>;
  /** Returns the sequence number of the newest list of approvers; 0 if there is no list. */
  approversSequence(): Promise<number>;
  /**
   * Returns what this key has sealed: policies in force, and grants in the stored state `approved`. Such a grant can have expired, and
   * can have seals of other keys too.
   */
  approvedBySeal(keyId: string): Promise<{ readonly grants: readonly Grant[]; readonly policies: readonly Policy[] }>;
  /** Returns the given keys that the server does not accept any more: keys of revoked subjects, and removed or blocked passkeys. */
  refusedKeys(keys: NamedKeys): Promise<NamedKeys>;
  /** Returns undefined if this requester is not paused. */
  pause(requesterId: string): Promise<Pause | undefined>;
  /** Returns all pauses, the oldest first. */
  pauses(): Promise<readonly Pause[]>;
  /** Returns all requesters, also revoked ones, sorted by name. */
  requesters(): Promise<readonly Subject[]>;
  /** Returns the oldest request with this fingerprint that is pending and has not expired; undefined if there is no such request. */
  pendingGrant(requesterId: string, fingerprint: string, nowMs: number): Promise<Grant | undefined>;
  grants(filter: GrantFilter): Promise<readonly ListedGrant[]>;
  /**
   * Returns the grants that exist, in the order of `ids`.
   * @param ids at most 200
   */
  listed(ids: readonly string[]): Promise<readonly ListedGrant[]>;
  /**
   * Returns requests that wait for a decision: first the oldest request of each requester, then the second oldest of each, and so on.
   * So a requester with many requests does not delay the requests of others.
   * @param limit 1 to 200
   */
  waitingInTurns(limit: number, nowMs: number): Promise<readonly ListedGrant[]>;
  /** Returns how many requests of a requester are pending, and the sum of their JSON lengths in bytes. */
  pendingOf(requesterId: string, nowMs: number): Promise<{ readonly count: number; readonly bytes: number }>;
  /** Counts the pending requests of all requesters. */
  countPending(nowMs: number): Promise<number>;
  /** Returns the first time after `afterMs` at which a pending or approved grant expires; null: no grant will expire. */
  nextExpiryMs(afterMs: number): Promise<number | null>;
  /** Returns the ids of the pending and approved grants that expire after `afterMs`, but not after `untilMs`. */
  expiredBetween(afterMs: number, untilMs: number): Promise<readonly string[]>;
  /**
   * Returns the events with `seq` above `afterSeq`, in order.
   * @param limit 1 to 1,000
   */
  events(afterSeq: number, limit: number): Promise<readonly StoredAuditEvent[]>;
  /**
   * Returns the events after `mark` that can change standing grants or policies (`STANDING_CHANGE`), in order. Returns null if the database
   * does not have the event of `mark`. This has one of two reasons: the event was removed, or the database was replaced. A restored copy,
   * or a standby without the newest events, can replace the database.
   */
  standingChanges(mark: EventMark): Promise<readonly StoredAuditEvent[] | null>;
  /**
   * Returns the last events of one kind about a grant, the newest first.
   * @param limit 1 to 1,000
   */
  eventsOf(grantId: string, kind: AuditEvent['kind'], limit: number): Promise<readonly StoredAuditEvent[]>;
  /** Counts how often each grant was requested again, up to `most`. A grant that was never requested again is left out. */
  repeats(grantIds: readonly string[], most: number): Promise<ReadonlyMap<string, number>>;
  /** Returns the number of the last event that has a number; 0 if no event has a number. */
  lastSeq(): Promise<number>;
  /** Returns the mark of the last event that has a number; `FIRST_MARK` if no event has a number. */
  lastMark(): Promise<EventMark>;
}

/**
 * Reads and writes in one transaction. The methods `spend…` and `replace…` are compare-and-set. These methods return false, and change
 * nothing, if another transaction was first, or if the row is no longer valid. `spendOwnerLink` returns undefined instead of false.
 */
export interface StoreWriter extends StoreReader {
  readonly idempotency: IdempotencyRows;
  readonly retention: RetentionWriter;
  readonly passkeys: PasskeyWriter;
  readonly notifications: NotificationWriter;
  readonly keys: RequesterKeyWriter;
  /**
   * Locks this request until the transaction ends: transactions with the same lock run one after the other. Call this method before
   * reading.
   */
  lockRequest(requesterId: string, fingerprint: string): Promise<void>;
  insertSubject(subject: Subject): Promise<void>;
  /** Ends all credentials of this subject. Returns false if the subject was already revoked or does not exist. */
  revokeSubject(id: string, atMs: number): Promise<boolean>;
  /** Returns false if the subject was revoked, or is not a person who decides or audits. */
  changeRole(id: string, role: 'approver' | 'auditor'): Promise<boolean>;
  insertEnrolment(enrolment: Enrolment): Promise<void>;
  /** Stores the nonce. Returns false, and changes nothing, if the enrolment is not pending or has a nonce already. */
  insertNonce(enrolmentId: string, nonce: string): Promise<boolean>;
  /** Stores the decision. Returns false, and changes nothing, if the stored enrolment is not pending. */
  replaceEnrolment(enrolment: Enrolment): Promise<boolean>;
  insertSession(session: ApproverSession): Promise<void>;
  /** Stores the time of the person's last visit, and the new end of the sign-in (Unix ms). */
  touchSession(hash: string, lastSeenAtMs: number, expiresAtMs: number): Promise<void>;
  endSession(hash: string): Promise<void>;
  /** Ends all sign-ins of a person, except the sign-in `exceptHash`; null: no exception. Returns how many sign-ins ended. */
  endSessionsOf(subjectId: string, exceptHash: string | null): Promise<number>;
  insertOwnerLink(link: Credential): Promise<void>;
  /** Uses a link. Returns the id of the link's subject; undefined if the link is not live or was used before. */
  spendOwnerLink(hash: string, nowMs: number): Promise<string | undefined>;
  /** Records that a challenge was used. Returns false if it was used before. */
  spendChallenge(hash: string, expiresAtMs: number): Promise<boolean>;
  insertToken(token: Credential): Promise<void>;
  /** @param hostFacts for a plan, the host facts of each part; null or absent: the host sent no facts */
  insertGrant(grant: Grant, hostFacts?: HostFacts | PlanHostFacts | null): Promise<void>;
  /** Returns false if the requester is paused already. */
  insertPause(pause: Pause): Promise<boolean>;
  /** Returns false if the requester is not paused. */
  endPause(requesterId: string): Promise<boolean>;
  insertMatch(match: GrantMatch): Promise<void>;
  /** Adds one to the count of wrong picks. Returns false, and stores nothing, if the stored count is no longer `match.wrong`. */
  countWrongPick(match: GrantMatch): Promise<boolean>;
  /**
   * Locks these grants until the transaction ends, so that no other transaction can change them. Returns their present rows, sorted by
   * id. A grant that does not exist is left out.
   */
  holdGrants(ids: readonly string[]): Promise<readonly Grant[]>;
  /** Writes `uses`, `usedAtMs` and `version` of a standing grant. Returns false if the stored version is not `grant.version - count`. */
  countUses(grant: Grant, count: number): Promise<boolean>;
  /** Writes `grant`. Returns false if the stored version is not `grant.version - 1`. */
  replaceGrant(grant: Grant): Promise<boolean>;
  /** Call `lockRequest('approvers', '')` first. Otherwise two transactions could choose the same sequence number. */
  insertApprovers(sealed: SealedApprovers): Promise<void>;
  insertPolicy(policy: Policy): Promise<void>;
  /** Like `holdGrants`, for policies. A transaction that needs both methods must call `holdGrants` first. */
  holdPolicies(ids: readonly string[]): Promise<readonly Policy[]>;
  /** Ends a policy. Returns false if the policy had already ended, or does not exist. */
  endPolicy(id: string, atMs: number): Promise<boolean>;
  /** Adds one to the policy's count of uses. Returns false if the policy has ended, or does not exist. */
  usePolicy(id: string): Promise<boolean>;
  /** Adds an event to this transaction. The event is written just before the commit. */
  record(event: AuditEvent): void;
  /** Tests whether the database can be written: changes a value and changes it back. */
  tryWriting(): Promise<void>;
  /** Removes all tokens, sign-ins and links, expired or not. Used challenges stay. */
  removeCredentials(): Promise<void>;
  /** Removes tokens, sign-ins, links and challenges that expired before `nowMs`. Grants and events stay. */
  prune(nowMs: number): Promise<void>;
}

/**
 * @property events the recorded events with their numbers, in order. Empty if the events get their numbers after the commit. Events get
 *                  their numbers after the commit only if other servers write to the database, and the kinds of all recorded events are
 *                  in `LATE_KINDS`
 */
export interface Committed<T> {
  readonly value: T;
  readonly events: readonly StoredAuditEvent[];
}

export interface Store {
  /** The name of the store in failure messages: a path, or the address without a password. */
  readonly name: string;
  /** Whether another process can write to the database. */
  readonly isShared: boolean;
  /** Whether the database runs in this process. Such a database blocks the whole process during each query. */
  readonly isInProcess: boolean;
  /**
   * Runs `work` without a transaction, so other writes can be committed between two reads. `work` can run again after a conflict between
   * servers. So `work` must only read.
   */
  read<T>(work: (rows: StoreReader) => Promise<T>): Promise<Result<T, Failure>>;
  /**
   * Runs `work`, and commits all of its changes or none. `work` can run again after a conflict between servers. So `work` must change
   * nothing except rows.
   */
  write<T>(work: (rows: StoreWriter) => Promise<T>): Promise<Result<Committed<T>, Failure>>;
  /**
   * Uses standing grants: reads the facts, calls `decide`, and commits the uses with their events. The read sees every earlier commit. The
   * uses of one grant are committed together or not at all. `CountedUses` lists the reasons why a grant must not be used.
   */
  useStanding<T>(
    question: StandingQuestion,
    decide: DecideUses<T>,
  ): Promise<Result<Committed<CountedUses<T>>, Failure>>;
  /**
   * Calls `listener` soon after new events that no `write` of this process has returned. Such an event got its number after its commit, or
   * another process recorded the event. If the database cannot notify, `listener` is not called for other processes. Returns a function
   * that removes `listener`.
   */
  onUnseenEvents(listener: () => void): () => void;
  /**
   * Writes a consistent copy to the new file `path`; other transactions can read and write meanwhile. Null: use the database's own tools.
   */
  readonly copyTo: ((path: string) => Promise<Result<null, Failure>>) | null;
  /** Checks the database. Returns one sentence for each fault; an empty list: no faults. */
  check(): Promise<Result<readonly string[], Failure>>;
  close(): Promise<void>;
}
