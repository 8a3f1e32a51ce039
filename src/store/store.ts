/**
 * The store of grants, people and events. A change and its audit events are one transaction; a grant is changed by
 * compare-and-set.
 *
 * Inside `work` a database fault is thrown; `read` and `write` return it as a `Failure`.
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
 * A requester or person that the server knows. `publicKey`: raw Ed25519, base64url; null for people, who sign in with a link, a
 * passkey or a recovery code.
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

/** A host that asks to use this server. `pending` past `expiresAtMs` counts as expired. */
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
 * @property passkeyId the passkey with which the session began, or that was registered in it: the session ends with that passkey
 * @property browser   the browser's name for itself, by which its person recognises it; null: the browser sent none
 */
export interface ApproverSession extends Credential {
  readonly lastSeenAtMs: number;
  readonly passkeyId: string | null;
  readonly browser: string | null;
}

/** Chooses grants, the newest first, within one millisecond by id. `beforeMs`: only grants made before that moment. `limit`: 1 to 200. */
export interface GrantFilter {
  readonly requesterId?: string;
  readonly states?: readonly GrantState[];
  /** Approved grants that can be used again: `timed` and `always`. */
  readonly isStanding?: boolean;
  /** Only plans. */
  readonly isPlan?: boolean;
  readonly beforeMs?: number;
  /** With `beforeMs`, adds the grants of that millisecond that come after this id. */
  readonly beforeId?: string;
  /** Only ids that begin with this: letters, digits and `_`. */
  readonly idPrefix?: string;
  readonly limit: number;
  readonly nowMs: number;
}

/**
 * Chooses uses, the newest first, before `beforeMs`: events of commands that ran under a grant or a policy, or that a policy forbade.
 * `limit`: 1 to 5,000.
 */
export interface UseFilter {
  readonly beforeMs?: number;
  /** With `beforeMs`, adds the events of that millisecond with a smaller number than this. */
  readonly beforeSeq?: number;
  readonly limit: number;
}

/** A past request with more bytes (JSON) does not count as evidence: a line of this length is opaque, or has few host facts for it. */
export const MAX_PAST_REQUEST_BYTES = 128 * 1024;

/** An earlier request of a requester, with the host facts of that time: the evidence for what a scope would cover. */
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

/** The host facts of each part of a plan, in order; null for a part about which the host sent nothing. */
export type PlanFindings = readonly (HostFacts | null)[];

/** A row that is looked up by `hash` is found only if it is live at `nowMs`: it has not expired, and neither it nor its subject is revoked. */
export interface StoreReader {
  readonly retention: RetentionReader;
  readonly passkeys: PasskeyReader;
  readonly notifications: NotificationReader;
  readonly keys: RequesterKeyReader;
  readonly history: HistoryReader;
  subject(id: string): Promise<Subject | undefined>;
  subjectByPublicKey(publicKey: string): Promise<Subject | undefined>;
  /** Returns the holders by hash, without those that are not live. */
  tokenHolders(hashes: readonly string[], nowMs: number): Promise<ReadonlyMap<string, TokenHolder>>;
  sessionHolder(hash: string, nowMs: number): Promise<{ subject: Subject; session: ApproverSession } | undefined>;
  /** Returns the live sign-ins of a person, the one that was used last first; at most `MAX_LISTED_SESSIONS`. */
  sessionsOf(subjectId: string, nowMs: number): Promise<readonly ApproverSession[]>;
  ownerLinkIsLive(hash: string, nowMs: number): Promise<boolean>;
  enrolment(id: string): Promise<Enrolment | undefined>;
  pendingEnrolments(nowMs: number): Promise<readonly Enrolment[]>;
  grant(id: string): Promise<Grant | undefined>;
  /** Returns the id of the requester whose grant this is. */
  requesterOf(grantId: string): Promise<string | undefined>;
  /** Returns the approved and live grants for exactly this request, in the order in which they should be used. */
  coveringGrants(requesterId: string, fingerprint: string, nowMs: number): Promise<readonly Grant[]>;
  /** Returns all approved and live grants with a scope, in the order in which they should be used. */
  scopedGrants(requesterId: string, nowMs: number): Promise<readonly Grant[]>;
  /** The host facts of the request; null if the host sent none, and for a plan. */
  findings(grantId: string): Promise<HostFacts | null>;
  /** The host facts of each part of a plan; empty if the grant is not a plan. */
  planFindings(grantId: string): Promise<PlanFindings>;
  /** Whether the requester has another grant than `exceptId` that was approved with these deciding variables, and was not revoked. */
  hasApprovedDeciding(requesterId: string, approvedDeciding: string, exceptId: string | null): Promise<boolean>;
  /** The number that the approver has to pick for this request; undefined if the request needs none. */
  match(grantId: string): Promise<GrantMatch | undefined>;
  /**
   * The requester's last requests that came with host facts, the newest first, without those longer than
   * `MAX_PAST_REQUEST_BYTES`; `limit` 1 to 500.
   */
  pastRequests(requesterId: string, limit: number): Promise<readonly PastRequest[]>;
  policy(id: string): Promise<Policy | undefined>;
  /** Newest first; `limit` 1 to 1,000. */
  policies(filter: { readonly isLive: boolean; readonly limit: number }): Promise<readonly Policy[]>;
  /** Returns all policies that are in force now. */
  livePolicies(): Promise<readonly Policy[]>;
  /** Lists of approvers with a higher sequence, in order; `limit` 1 to 1,000. */
  approverLists(afterSequence: number, limit: number): Promise<readonly SealedApprovers[]>;
  lastApprovers(): Promise<SealedApprovers | undefined>;
  /** The sequence of the newest list of approvers; 0 if there is none. */
  approversSequence(): Promise<number>;
  /** Returns the grants and policies that this key has sealed and that count now. */
  approvedBySeal(keyId: string): Promise<{ readonly grants: readonly Grant[]; readonly policies: readonly Policy[] }>;
  /** Returns undefined if this requester is not paused. */
  pause(requesterId: string): Promise<Pause | undefined>;
  /** Returns all pauses, the oldest first. */
  pauses(): Promise<readonly Pause[]>;
  /** Returns all subjects that may ask, sorted by name. */
  requesters(): Promise<readonly Subject[]>;
  /** The oldest undecided, live request with this fingerprint. */
  pendingGrant(requesterId: string, fingerprint: string, nowMs: number): Promise<Grant | undefined>;
  grants(filter: GrantFilter): Promise<readonly ListedGrant[]>;
  /** Returns those that exist, in the order of `ids`; at most 200. */
  listed(ids: readonly string[]): Promise<readonly ListedGrant[]>;
  /**
   * Returns requests that wait for a decision, in turns: the oldest of each requester, then the second oldest of each, and so on.
   * So the requests of one requester do not come later because another one files many. `limit` 1 to 200.
   */
  waitingInTurns(limit: number, nowMs: number): Promise<readonly ListedGrant[]>;
  /** How many undecided requests a requester has, and how many bytes (JSON) these have together. */
  pendingOf(requesterId: string, nowMs: number): Promise<{ readonly count: number; readonly bytes: number }>;
  /** The undecided requests of all requesters. */
  countPending(nowMs: number): Promise<number>;
  /** The earliest moment after `afterMs` at which a live grant lapses. */
  nextExpiryMs(afterMs: number): Promise<number | null>;
  /** Ids of the grants that lapse in `(afterMs, untilMs]`. */
  expiredBetween(afterMs: number, untilMs: number): Promise<readonly string[]>;
  /** Events with `seq` above `afterSeq`, in order; `limit` 1 to 1,000. */
  events(afterSeq: number, limit: number): Promise<readonly StoredAuditEvent[]>;
  /** Events above `afterSeq` that may change the standing grants or policies: approvals, revocations, policies made and ended, `record.cut`. */
  standingChanges(afterSeq: number): Promise<readonly StoredAuditEvent[]>;
  /** The last events of one kind about a grant, the newest first; `limit` 1 to 1,000. */
  eventsOf(grantId: string, kind: AuditEvent['kind'], limit: number): Promise<readonly StoredAuditEvent[]>;
  /** How often each grant was asked for again, counted up to `most`; grants without a repeat are missing. */
  repeats(grantIds: readonly string[], most: number): Promise<ReadonlyMap<string, number>>;
  /** The number of the last event; 0 if there is none. */
  lastSeq(): Promise<number>;
}

/**
 * `spend…` and `replace…` are compare-and-set: false (undefined of `spendOwnerLink`) means that nothing changed, because another
 * transaction was first or the row is no longer valid.
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
  /** Ends all credentials of this subject; false if it was revoked already or does not exist. */
  revokeSubject(id: string, atMs: number): Promise<boolean>;
  /** Returns false if the subject is not a person who decides or audits, or was revoked. */
  changeRole(id: string, role: 'approver' | 'auditor'): Promise<boolean>;
  insertEnrolment(enrolment: Enrolment): Promise<void>;
  /** Does nothing, and returns false, unless the stored one is pending. */
  replaceEnrolment(enrolment: Enrolment): Promise<boolean>;
  insertSession(session: ApproverSession): Promise<void>;
  touchSession(hash: string, lastSeenAtMs: number, expiresAtMs: number): Promise<void>;
  endSession(hash: string): Promise<void>;
  /** Ends all sign-ins of a person but the one with `exceptHash`; returns how many ended. */
  endSessionsOf(subjectId: string, exceptHash: string | null): Promise<number>;
  insertOwnerLink(link: Credential): Promise<void>;
  /** The first call for a live link returns its subject; every later one returns undefined. */
  spendOwnerLink(hash: string, nowMs: number): Promise<string | undefined>;
  /** Returns true the first time that the challenge is spent. */
  spendChallenge(hash: string, expiresAtMs: number): Promise<boolean>;
  insertToken(token: Credential): Promise<void>;
  /** @param hostFacts what the host looked up, for a plan about each part; null: the host sent nothing */
  insertGrant(grant: Grant, hostFacts?: HostFacts | PlanFindings | null): Promise<void>;
  /** Returns false if the requester is paused already. */
  insertPause(pause: Pause): Promise<boolean>;
  /** Returns false if the requester is not paused. */
  endPause(requesterId: string): Promise<boolean>;
  insertMatch(match: GrantMatch): Promise<void>;
  /** Counts one more wrong pick; false if another person has picked meanwhile. */
  countWrongPick(match: GrantMatch): Promise<boolean>;
  /** Locks these grants and returns them as they are now: no other transaction changes them before this one ends. */
  holdGrants(ids: readonly string[]): Promise<readonly Grant[]>;
  /** Writes `count` uses of a standing grant, whose state stays. Writes only over the version before these uses (`version - count`). */
  countUses(grant: Grant, count: number): Promise<boolean>;
  /** Writes `grant`, but only over the version before it (`version - 1`). */
  replaceGrant(grant: Grant): Promise<boolean>;
  /** Call `lockRequest('approvers', '')` first: two lists cannot have one sequence. */
  insertApprovers(sealed: SealedApprovers): Promise<void>;
  insertPolicy(policy: Policy): Promise<void>;
  /** Locks these policies and returns them as they are now: no other transaction changes them before this one ends. Call it after `holdGrants`. */
  holdPolicies(ids: readonly string[]): Promise<readonly Policy[]>;
  /** Returns false if the policy had ended, or does not exist. */
  endPolicy(id: string, atMs: number): Promise<boolean>;
  /** Counts one use; false if the policy has ended. */
  usePolicy(id: string): Promise<boolean>;
  /** Records an event, which is appended when the transaction commits. */
  record(event: AuditEvent): void;
  /** Tries whether a change would succeed: writes a value that is already there. */
  tryWriting(): Promise<void>;
  /** Removes tokens, sessions, links and challenges that ended before `nowMs`. Grants and events stay. */
  prune(nowMs: number): Promise<void>;
}

/** @property events the recorded events, without those that get their number only after the commit: uses and reports, if other servers write too */
export interface Committed<T> {
  readonly value: T;
  readonly events: readonly StoredAuditEvent[];
}

export interface Store {
  /** The name of the store in failure messages: a path, or the address without a password. */
  readonly name: string;
  /** Whether another process may write to the database. */
  readonly isShared: boolean;
  /** Whether the database works in this process: while it does, no other call is served. */
  readonly isInProcess: boolean;
  read<T>(work: (rows: StoreReader) => Promise<T>): Promise<Result<T, Failure>>;
  /** Commits all changes of `work`, or none. `work` may run again after a conflict between servers, so it must have no other effect. */
  write<T>(work: (rows: StoreWriter) => Promise<T>): Promise<Result<Committed<T>, Failure>>;
  /**
   * Uses standing grants: reads, lets `decide` choose, and commits the uses with their events, for each grant all or none. What was
   * committed before the call counts; a grant that changes after the read is not used. Does not wait for grants that another
   * transaction has locked.
   */
  useStanding<T>(
    question: StandingQuestion,
    decide: DecideUses<T>,
  ): Promise<Result<Committed<CountedUses<T>>, Failure>>;
  /**
   * Calls `listener` soon after events were recorded that no `write` of this process returned: events of other processes, if the
   * database can notify of them, and events that got their number late. Returns a function that ends these calls.
   */
  onUnseenEvents(listener: () => void): () => void;
  /** Writes a consistent copy to a new file at `path`, while others read and write. `null` means that the database has tools of its own for copies. */
  readonly copyTo: ((path: string) => Promise<Result<null, Failure>>) | null;
  /** Returns sentences about what is wrong with the database; an empty list if nothing is wrong. */
  check(): Promise<Result<readonly string[], Failure>>;
  close(): Promise<void>;
}
