/**
 * The interface of the store of grants, people and events. A change and its audit events are one transaction; a grant is changed by
 * compare-and-set.
 *
 * Inside `work`, a fault of the database is thrown as an error; `read` and `write` return it as a `Failure`.
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
 * `auditor`: sees what an approver sees, and decides nothing. `break-glass`: a code that was made beforehand, with which a
 * person decides alone for 15 minutes.
 */
export type Role = 'requester' | 'approver' | 'auditor' | 'break-glass';

/**
 * A requester, a person, or an approver's key (with which `apes` signs in on a command line) that the server knows.
 * @property host        the host of a requester; empty for others
 * @property user        the user of that host who asks; empty for others
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
 * A host that asks to use this server. A `pending` enrolment counts as expired after `expiresAtMs`. `decidedAtMs` and `decidedBy` are null
 * until it is decided; `requesterId` is null unless it was approved.
 */
export interface Enrolment {
  readonly id: string;
  readonly state: 'pending' | 'approved' | 'denied';
  readonly name: string;
  readonly host: string;
  readonly user: string;
  readonly publicKey: string;
  /** Eight characters that both sides show. */
  readonly code: string;
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
 * @property passkeyId the passkey with which the sign-in began, or that was registered in it; the sign-in ends when that passkey is removed
 *                     or put aside; null: there is no such passkey
 * @property browser   the name that the browser sent, by which the person recognises the sign-in; null: the browser sent no name
 */
export interface ApproverSession extends Credential {
  readonly lastSeenAtMs: number;
  readonly passkeyId: string | null;
  readonly browser: string | null;
}

/**
 * Selects grants, the newest first; grants of one millisecond are sorted by id. A member that is absent restricts nothing.
 * @property states   as at `nowMs`: a pending or approved grant after its expiry counts as `expired`
 * @property beforeMs only grants that were made before this moment
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
  /** With `beforeMs`: adds the grants of exactly that millisecond whose id comes after this id. */
  readonly beforeId?: string;
  /** Only ids that begin with this text of letters, digits and `_`. */
  readonly idPrefix?: string;
  readonly limit: number;
  readonly nowMs: number;
}

/**
 * Selects uses, the newest first: events of commands that ran under a grant or a policy, or that a policy forbade. A member that is absent
 * restricts nothing.
 * @property beforeMs only uses from before this moment
 * @property limit    1 to 5,000
 */
export interface UseFilter {
  readonly beforeMs?: number;
  /** With `beforeMs`: adds the events of exactly that millisecond whose number is smaller than this. */
  readonly beforeSeq?: number;
  readonly limit: number;
}

/**
 * The greatest length of a past request with its host facts, in bytes of JSON. A longer one is not used to show what a scope would have
 * covered: its line is opaque, or has few host facts for its length.
 */
export const MAX_PAST_REQUEST_BYTES = 128 * 1024;

/** An earlier request of a requester, with the host facts of that time. Past requests show what a scope would have covered. */
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

/** The host facts of each part of a plan, in order; null for a part for which the host sent none. */
export type PlanHostFacts = readonly (HostFacts | null)[];

/** Identifies an event. After a failover that lost events, another event can have the same number, but not also the same time. */
export type EventMark = Pick<StoredAuditEvent, 'seq' | 'atMs'>;

/** The mark before the first event. */
export const FIRST_MARK: EventMark = { seq: 0, atMs: 0 };

/**
 * Reads the store. A row that is looked up by `hash` is found only if it is live at `nowMs`: the row has not expired, and its subject is not
 * revoked. A link must also be unused (`ownerLinkIsLive`).
 */
export interface StoreReader {
  readonly retention: RetentionReader;
  readonly passkeys: PasskeyReader;
  readonly notifications: NotificationReader;
  readonly keys: RequesterKeyReader;
  readonly history: HistoryReader;
  /** Also finds a subject that was revoked, as `subjectByPublicKey` does. */
  subject(id: string): Promise<Subject | undefined>;
  subjectByPublicKey(publicKey: string): Promise<Subject | undefined>;
  /** Returns the holders of those tokens that are live, by the hash of the token. */
  tokenHolders(hashes: readonly string[], nowMs: number): Promise<ReadonlyMap<string, TokenHolder>>;
  sessionHolder(hash: string, nowMs: number): Promise<{ subject: Subject; session: ApproverSession } | undefined>;
  /** Returns the live sign-ins of a person, the last used one first; at most `MAX_LISTED_SESSIONS`. */
  sessionsOf(subjectId: string, nowMs: number): Promise<readonly ApproverSession[]>;
  ownerLinkIsLive(hash: string, nowMs: number): Promise<boolean>;
  enrolment(id: string): Promise<Enrolment | undefined>;
  /** Returns the enrolments that are pending and have not expired, the newest first. */
  pendingEnrolments(nowMs: number): Promise<readonly Enrolment[]>;
  grant(id: string): Promise<Grant | undefined>;
  /** Returns the id of the requester whose grant this is; undefined if there is no such grant. */
  requesterOf(grantId: string): Promise<string | undefined>;
  /** Returns the approved and live grants for exactly this request, in the order in which they should be used. */
  coveringGrants(requesterId: string, fingerprint: string, nowMs: number): Promise<readonly Grant[]>;
  /** Returns all approved and live grants of the requester that have a scope, in the order in which they should be used. */
  scopedGrants(requesterId: string, nowMs: number): Promise<readonly Grant[]>;
  /** Returns the host facts of the request; null if the host sent none, the grant is a plan, or there is no such grant. */
  hostFacts(grantId: string): Promise<HostFacts | null>;
  /** Returns the host facts of each part of a plan; an empty list if the grant is not a plan. */
  planHostFacts(grantId: string): Promise<PlanHostFacts>;
  /**
   * Whether the requester has a grant, other than `exceptId`, that was approved with these deciding variables and was not revoked.
   * @param approvedDeciding their digest, as in `Grant`
   */
  hasApprovedDeciding(requesterId: string, approvedDeciding: string, exceptId: string | null): Promise<boolean>;
  /** Returns the number that the approver has to pick for this request; undefined if the request needs no number. */
  match(grantId: string): Promise<GrantMatch | undefined>;
  /**
   * Takes the last `limit` requests of a requester that have host facts; looks only at the last 2,000 requests that are not plans. Returns
   * those that are not longer than `MAX_PAST_REQUEST_BYTES`, the newest first.
   * @param limit 1 to 500
   */
  pastRequests(requesterId: string, limit: number): Promise<readonly PastRequest[]>;
  policy(id: string): Promise<Policy | undefined>;
  /** Returns policies, the newest first. `isLive`: those in force, else those that have ended. `limit`: 1 to 1,000. */
  policies(filter: { readonly isLive: boolean; readonly limit: number }): Promise<readonly Policy[]>;
  /** Returns all policies that are in force now. */
  livePolicies(): Promise<readonly Policy[]>;
  /** Returns the lists of approvers with a higher sequence number, in order. @param limit 1 to 1,000 */
  approverLists(afterSequence: number, limit: number): Promise<readonly SealedApprovers[]>;
  /** Returns the newest list of approvers; undefined if there is no list. */
  lastApprovers(): Promise<SealedApprovers | undefined>;
  /** Returns the sequence number of the newest list of approvers; 0 if there is no list. */
  approversSequence(): Promise<number>;
  /**
   * Returns the policies in force and the grants in the stored state `approved` that this key has sealed, alone or with other keys. The
   * grants can have expired.
   */
  approvedBySeal(keyId: string): Promise<{ readonly grants: readonly Grant[]; readonly policies: readonly Policy[] }>;
  /** Returns undefined if this requester is not paused. */
  pause(requesterId: string): Promise<Pause | undefined>;
  /** Returns all pauses, the oldest first. */
  pauses(): Promise<readonly Pause[]>;
  /** Returns all requesters, also revoked ones, sorted by name. */
  requesters(): Promise<readonly Subject[]>;
  /** Returns the oldest pending, unexpired request with this fingerprint; undefined: there is none. */
  pendingGrant(requesterId: string, fingerprint: string, nowMs: number): Promise<Grant | undefined>;
  grants(filter: GrantFilter): Promise<readonly ListedGrant[]>;
  /** Returns the grants that exist, in the order of `ids`. @param ids at most 200 */
  listed(ids: readonly string[]): Promise<readonly ListedGrant[]>;
  /**
   * Returns requests that wait for a decision, in turns: the oldest request of each requester, then the second oldest of each, and so on.
   * So a requester that files many requests does not delay the requests of others.
   * @param limit 1 to 200
   */
  waitingInTurns(limit: number, nowMs: number): Promise<readonly ListedGrant[]>;
  /** Counts the pending requests of a requester, and their bytes (JSON) together. */
  pendingOf(requesterId: string, nowMs: number): Promise<{ readonly count: number; readonly bytes: number }>;
  /** Counts the pending requests of all requesters. */
  countPending(nowMs: number): Promise<number>;
  /** Returns the earliest moment after `afterMs` at which a pending or approved grant expires; null: no grant will expire. */
  nextExpiryMs(afterMs: number): Promise<number | null>;
  /** Returns the ids of the pending and approved grants that expire after `afterMs`, and at `untilMs` at the latest. */
  expiredBetween(afterMs: number, untilMs: number): Promise<readonly string[]>;
  /** Returns the events with `seq` above `afterSeq`, in order. @param limit 1 to 1,000 */
  events(afterSeq: number, limit: number): Promise<readonly StoredAuditEvent[]>;
  /**
   * Returns the events after `mark` that can change standing grants or policies (`STANDING_CHANGE`), in order. Returns null if the database
   * does not have the event of the mark: the event was removed, or this is another database (a restored copy, or a standby that lacked the
   * last events).
   */
  standingChanges(mark: EventMark): Promise<readonly StoredAuditEvent[] | null>;
  /** Returns the last events of one kind about a grant, the newest first. @param limit 1 to 1,000 */
  eventsOf(grantId: string, kind: AuditEvent['kind'], limit: number): Promise<readonly StoredAuditEvent[]>;
  /** Counts how often each grant was asked for again, up to `most`. Grants that were never asked for again are left out. */
  repeats(grantIds: readonly string[], most: number): Promise<ReadonlyMap<string, number>>;
  /** Returns the number of the last event; 0 if there is no event. */
  lastSeq(): Promise<number>;
  /** Returns the mark of the last event that has a number; `FIRST_MARK` if there is no event. */
  lastMark(): Promise<EventMark>;
}

/**
 * Reads and writes in one transaction. Methods `spend…` and `replace…` are compare-and-set. They return false (`spendOwnerLink`:
 * undefined) if nothing changed, because another transaction was first or the row is no longer valid.
 */
export interface StoreWriter extends StoreReader {
  readonly idempotency: IdempotencyRows;
  readonly retention: RetentionWriter;
  readonly passkeys: PasskeyWriter;
  readonly notifications: NotificationWriter;
  readonly keys: RequesterKeyWriter;
  /** Takes a lock, so that transactions about the same request run one after the other; call it before reading. */
  lockRequest(requesterId: string, fingerprint: string): Promise<void>;
  insertSubject(subject: Subject): Promise<void>;
  /** Ends all credentials of this subject. Returns false if the subject was already revoked or does not exist. */
  revokeSubject(id: string, atMs: number): Promise<boolean>;
  /** Returns false if the subject is not a person who decides or audits, or was revoked. */
  changeRole(id: string, role: 'approver' | 'auditor'): Promise<boolean>;
  insertEnrolment(enrolment: Enrolment): Promise<void>;
  /** Returns false, and changes nothing, if the stored enrolment is not pending. */
  replaceEnrolment(enrolment: Enrolment): Promise<boolean>;
  insertSession(session: ApproverSession): Promise<void>;
  /** Stores a visit, and the new end of the sign-in (Unix ms). */
  touchSession(hash: string, lastSeenAtMs: number, expiresAtMs: number): Promise<void>;
  endSession(hash: string): Promise<void>;
  /** Ends all sign-ins of a person except the one with `exceptHash`; null: all. Returns how many ended. */
  endSessionsOf(subjectId: string, exceptHash: string | null): Promise<number>;
  insertOwnerLink(link: Credential): Promise<void>;
  /** Uses a link. Returns the id of the link's subject; undefined if the link is not live or was used before. */
  spendOwnerLink(hash: string, nowMs: number): Promise<string | undefined>;
  /** Records that a challenge was used. Returns false if it was used before. */
  spendChallenge(hash: string, expiresAtMs: number): Promise<boolean>;
  insertToken(token: Credential): Promise<void>;
  /** @param hostFacts the host facts of the request, or of each part of a plan; null or absent: the host sent none */
  insertGrant(grant: Grant, hostFacts?: HostFacts | PlanHostFacts | null): Promise<void>;
  /** Returns false if the requester is paused already. */
  insertPause(pause: Pause): Promise<boolean>;
  /** Returns false if the requester is not paused. */
  endPause(requesterId: string): Promise<boolean>;
  insertMatch(match: GrantMatch): Promise<void>;
  /** Adds one to the count of wrong picks. Returns false, and stores nothing, if the stored count is no longer `match.wrong`. */
  countWrongPick(match: GrantMatch): Promise<boolean>;
  /**
   * Locks these grants and returns them as they are now, sorted by id; those that do not exist are left out. No other transaction can
   * change them before this one ends.
   */
  holdGrants(ids: readonly string[]): Promise<readonly Grant[]>;
  /** Writes `count` uses of a standing grant; its state stays. Returns false if the stored version is not `version - count`. */
  countUses(grant: Grant, count: number): Promise<boolean>;
  /** Writes `grant`. Returns false if the stored version is not `version - 1`. */
  replaceGrant(grant: Grant): Promise<boolean>;
  /** The caller must call `lockRequest('approvers', '')` first, because two lists cannot have the same sequence number. */
  insertApprovers(sealed: SealedApprovers): Promise<void>;
  insertPolicy(policy: Policy): Promise<void>;
  /** Locks these policies, as `holdGrants` locks grants. If both are needed, call `holdGrants` first. */
  holdPolicies(ids: readonly string[]): Promise<readonly Policy[]>;
  /** Ends a policy. Returns false if the policy had already ended, or does not exist. */
  endPolicy(id: string, atMs: number): Promise<boolean>;
  /** Counts one use. Returns false if the policy has ended, or does not exist. */
  usePolicy(id: string): Promise<boolean>;
  /** Records an event, which is written when the transaction commits. */
  record(event: AuditEvent): void;
  /** Tests whether the database can be written, by a write that leaves its contents as they were. */
  tryWriting(): Promise<void>;
  /** Removes tokens, sign-ins, links and challenges that expired before `nowMs`. Grants and events stay. */
  prune(nowMs: number): Promise<void>;
}

/**
 * @property events the recorded events with their numbers, in order. Empty if other servers write too and all events are of `LATE_KINDS`:
 *                  these events get their numbers after the commit
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
  /** Whether the database runs in this process, so that it blocks all other calls while it works. */
  readonly isInProcess: boolean;
  /**
   * Runs `work` without a transaction: other writes can be committed between two of its reads. `work` can run again after a conflict between
   * servers, so it must only read.
   */
  read<T>(work: (rows: StoreReader) => Promise<T>): Promise<Result<T, Failure>>;
  /**
   * Commits all changes of `work`, or none. `work` can run again after a conflict between servers, so it must have no effect besides its
   * changes of the rows.
   */
  write<T>(work: (rows: StoreWriter) => Promise<T>): Promise<Result<Committed<T>, Failure>>;
  /**
   * Uses standing grants: reads, calls `decide`, and commits the uses with their events. The uses of one grant are committed together or
   * not at all. Everything that was committed before the call is read. `CountedUses` says in which cases a grant is not
   * used.
   */
  useStanding<T>(
    question: StandingQuestion,
    decide: DecideUses<T>,
  ): Promise<Result<Committed<CountedUses<T>>, Failure>>;
  /**
   * Calls `listener` soon after events were recorded that no `write` of this process returned: events of other processes, if the database
   * can notify of them, and events that got their number after their commit. Returns a function that ends these calls.
   */
  onUnseenEvents(listener: () => void): () => void;
  /** Writes a consistent copy to a new file at `path`, while others read and write. Null: use the database's own tools to copy it. */
  readonly copyTo: ((path: string) => Promise<Result<null, Failure>>) | null;
  /** Checks the database. Returns one sentence for each fault; an empty list if all is well. */
  check(): Promise<Result<readonly string[], Failure>>;
  close(): Promise<void>;
}
