/**
 * The store of grants, people and events. A change and its audit events are one transaction; a grant is changed by
 * compare-and-set.
 *
 * Inside a unit of work a database fault unwinds by exception; at its edge (`read`, `write`) it becomes a `Failure`.
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
import type { IdempotencyRows } from './idempotency-rows.ts';
import type { ListedGrant } from './listed-request.ts';
import type { NotificationReader, NotificationWriter } from './notification-store.ts';
import type { PasskeyReader, PasskeyWriter } from './passkeys.ts';
import type { Pause } from './pause-rows.ts';
import type { RetentionReader, RetentionWriter } from './retention-rows.ts';
import type { SameRequest } from './shared-rows.ts';

/**
 * `auditor`: sees what an approver sees, and decides nothing. `break-glass`: a sealed code that was made beforehand, and
 * decides alone for a quarter of an hour.
 */
export type Role = 'requester' | 'approver' | 'auditor' | 'break-glass';

/**
 * A requester or person the server knows. `publicKey`: raw Ed25519, base64url; null for people, who sign in by link, passkey or recovery
 * code.
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
 * @property passkeyId the passkey it began with, or that was registered in it: it ends with that passkey
 * @property browser   what the browser calls itself, for its person to know it again; null: it did not say
 */
export interface ApproverSession extends Credential {
  readonly lastSeenAtMs: number;
  readonly passkeyId: string | null;
  readonly browser: string | null;
}

/** Newest first, in one millisecond by id; only grants made before `beforeMs`. `limit` 1 to 200. */
export interface GrantFilter {
  readonly requesterId?: string;
  readonly states?: readonly GrantState[];
  /** Approved grants that can be used again: `timed` and `always`. */
  readonly isStanding?: boolean;
  /** Plans alone. */
  readonly isPlan?: boolean;
  readonly beforeMs?: number;
  /** With `beforeMs`: of that millisecond those too that come after this id. */
  readonly beforeId?: string;
  /** Those whose id begins so: letters, digits and `_` only. */
  readonly idPrefix?: string;
  readonly limit: number;
  readonly nowMs: number;
}

/** A past request with more bytes (JSON) is not taken as evidence: a line so long is opaque, or its host facts are few beside it. */
export const MAX_PAST_REQUEST_BYTES = 128 * 1024;

/** An earlier request of a requester, with what its host found then: the evidence of what a scope would cover. */
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

/** Of each part, in order; null where the host can tell nothing. */
export type PlanFindings = readonly (HostFacts | null)[];

/** Whatever is looked up by `hash` is also live at `nowMs`: not expired, not revoked, its subject not revoked. */
export interface StoreReader {
  readonly retention: RetentionReader;
  readonly passkeys: PasskeyReader;
  readonly notifications: NotificationReader;
  subject(id: string): Promise<Subject | undefined>;
  subjectByPublicKey(publicKey: string): Promise<Subject | undefined>;
  /** By hash; what is not live is missing. */
  tokenHolders(hashes: readonly string[], nowMs: number): Promise<ReadonlyMap<string, TokenHolder>>;
  sessionHolder(hash: string, nowMs: number): Promise<{ subject: Subject; session: ApproverSession } | undefined>;
  /** The live sign-ins of a person, the one used last first; at most `MAX_LISTED_SESSIONS`. */
  sessionsOf(subjectId: string, nowMs: number): Promise<readonly ApproverSession[]>;
  ownerLinkIsLive(hash: string, nowMs: number): Promise<boolean>;
  enrolment(id: string): Promise<Enrolment | undefined>;
  pendingEnrolments(nowMs: number): Promise<readonly Enrolment[]>;
  grant(id: string): Promise<Grant | undefined>;
  /** Approved and live, in the order they should be used. */
  coveringGrants(requesterId: string, fingerprint: string, nowMs: number): Promise<readonly Grant[]>;
  /** Approved and live with a scope, whatever was asked for, in the order they should be used. */
  scopedGrants(requesterId: string, nowMs: number): Promise<readonly Grant[]>;
  /** What the host found when it asked for this; null when it sent nothing, and of a plan. */
  findings(grantId: string): Promise<HostFacts | null>;
  /** What the host found about each part of a plan; empty where it is none. */
  planFindings(grantId: string): Promise<PlanFindings>;
  /** The number of a request that a tap alone does not approve; undefined for all others. */
  match(grantId: string): Promise<GrantMatch | undefined>;
  /**
   * The requester's last requests that came with host facts, the newest first, without those longer than
   * `MAX_PAST_REQUEST_BYTES`; `limit` 1 to 500.
   */
  pastRequests(requesterId: string, limit: number): Promise<readonly PastRequest[]>;
  policy(id: string): Promise<Policy | undefined>;
  /** Newest first; `limit` 1 to 1,000. */
  policies(filter: { readonly isLive: boolean; readonly limit: number }): Promise<readonly Policy[]>;
  /** All that count now. */
  livePolicies(): Promise<readonly Policy[]>;
  /** Lists of approvers with a higher sequence, in order; `limit` 1 to 1,000. */
  approverLists(afterSequence: number, limit: number): Promise<readonly SealedApprovers[]>;
  lastApprovers(): Promise<SealedApprovers | undefined>;
  /** Of the newest list; 0 when there is none. */
  approversSequence(): Promise<number>;
  /** What counts now because of a seal of this key. */
  approvedBySeal(keyId: string): Promise<{ readonly grants: readonly Grant[]; readonly policies: readonly Policy[] }>;
  /** Undefined: this requester is not paused. */
  pause(requesterId: string): Promise<Pause | undefined>;
  /** Those of these requesters that are paused. */
  pausedAmong(requesterIds: readonly string[]): Promise<ReadonlySet<string>>;
  /** The oldest first. */
  pauses(): Promise<readonly Pause[]>;
  /** Everybody who may ask, by name. */
  requesters(): Promise<readonly Subject[]>;
  /** The oldest undecided, live request with this fingerprint. */
  pendingGrant(requesterId: string, fingerprint: string, nowMs: number): Promise<Grant | undefined>;
  grants(filter: GrantFilter): Promise<readonly ListedGrant[]>;
  /**
   * What waits for a decision, in turns: the oldest of each requester, then the second oldest of each, and so on. However
   * many one of them files, the others' come as soon. `limit` 1 to 200.
   */
  waitingInTurns(limit: number, nowMs: number): Promise<readonly ListedGrant[]>;
  /** How many bytes (JSON) the undecided requests of a requester have. */
  pendingBytes(requesterId: string, nowMs: number): Promise<number>;
  countPending(requesterId: string | null, nowMs: number): Promise<number>;
  /** The earliest moment after `afterMs` at which a live grant lapses. */
  nextExpiryMs(afterMs: number): Promise<number | null>;
  /** Ids of the grants that lapse in `(afterMs, untilMs]`. */
  expiredBetween(afterMs: number, untilMs: number): Promise<readonly string[]>;
  /** Events with `seq` above `afterSeq`, in order; `limit` 1 to 1,000. */
  events(afterSeq: number, limit: number): Promise<readonly StoredAuditEvent[]>;
  /** Those above `afterSeq` after which standing grants or policies may be others: approvals, revocations, policies made and ended, and events removed. */
  standingChanges(afterSeq: number): Promise<readonly StoredAuditEvent[]>;
  /** The last events of one kind about a grant, the newest first; `limit` 1 to 1,000. */
  eventsOf(grantId: string, kind: AuditEvent['kind'], limit: number): Promise<readonly StoredAuditEvent[]>;
  /** What ran because of a grant or a policy, or was forbidden by one: the newest first, before `beforeMs`; `limit` 1 to 1,000. */
  uses(filter: {
    readonly beforeMs?: number;
    /** With `beforeMs`: of that millisecond those with a smaller number are not excluded. */
    readonly beforeSeq?: number;
    readonly limit: number;
  }): Promise<readonly StoredAuditEvent[]>;
  /** 0 when there is none. */
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
  /** Serialises the transactions that ask for, or use, the same request; call it before reading. */
  lockRequest(requesterId: string, fingerprint: string): Promise<void>;
  insertSubject(subject: Subject): Promise<void>;
  /** Everything of this subject stops working; false when it was revoked already or never was. */
  revokeSubject(id: string, atMs: number): Promise<boolean>;
  /** False where the subject is no person who decides or audits, or was revoked. */
  changeRole(id: string, role: 'approver' | 'auditor'): Promise<boolean>;
  insertEnrolment(enrolment: Enrolment): Promise<void>;
  /** Only while the stored one is pending. */
  replaceEnrolment(enrolment: Enrolment): Promise<boolean>;
  insertSession(session: ApproverSession): Promise<void>;
  touchSession(hash: string, lastSeenAtMs: number, expiresAtMs: number): Promise<void>;
  endSession(hash: string): Promise<void>;
  /** All sign-ins of a person, but that one; how many there were. */
  endSessionsOf(subjectId: string, exceptHash: string | null): Promise<number>;
  insertOwnerLink(link: Credential): Promise<void>;
  /** The subject of a live link, once; undefined ever after. */
  spendOwnerLink(hash: string, nowMs: number): Promise<string | undefined>;
  /** True the first time a challenge is spent. */
  spendChallenge(hash: string, expiresAtMs: number): Promise<boolean>;
  insertToken(token: Credential): Promise<void>;
  /** @param hostFacts what the host looked up, of a plan about each part; null: it sent nothing */
  insertGrant(grant: Grant, hostFacts?: HostFacts | PlanFindings | null): Promise<void>;
  /** False when it is paused already. */
  insertPause(pause: Pause): Promise<boolean>;
  /** False when it is not paused. */
  endPause(requesterId: string): Promise<boolean>;
  insertMatch(match: GrantMatch): Promise<void>;
  /** One more; false when another person picked meanwhile. */
  countWrongPick(match: GrantMatch): Promise<boolean>;
  /** These grants as they are now; no other transaction changes them before this one ends. */
  holdGrants(ids: readonly string[]): Promise<readonly Grant[]>;
  /**
   * Approved and live, for exactly these requests, as they are now; no other transaction changes them before this one ends. What
   * another one holds may be missing, and is not waited for.
   */
  holdGrantsFor(requests: readonly SameRequest[], nowMs: number): Promise<readonly Grant[]>;
  /**
   * Writes uses of standing grants that this transaction holds, each grant as it is after its last one: `uses` versions ago it was
   * as it was held. Throws when another version stands there.
   */
  countUses(used: readonly { readonly grant: Grant; readonly uses: number }[]): Promise<void>;
  /** Writes `grant` only over its version before (`version - 1`). */
  replaceGrant(grant: Grant): Promise<boolean>;
  /** Call `lockRequest('approvers', '')` first: two lists cannot have one sequence. */
  insertApprovers(sealed: SealedApprovers): Promise<void>;
  insertPolicy(policy: Policy): Promise<void>;
  /** These policies as they are now; no other transaction changes them before this one ends. Call it after `holdGrants`. */
  holdPolicies(ids: readonly string[]): Promise<readonly Policy[]>;
  /** False when it had ended, or never was. */
  endPolicy(id: string, atMs: number): Promise<boolean>;
  /** Counts one use; false when it has ended. */
  usePolicy(id: string): Promise<boolean>;
  /** Appended, numbered, when the transaction commits. */
  record(event: AuditEvent): void;
  /** Writes a value that stands there already: fails where a change would fail. */
  tryWriting(): Promise<void>;
  /** Forgets tokens, sessions, links and challenges that ended before `nowMs`. Grants and events stay. */
  prune(nowMs: number): Promise<void>;
}

/** @property events without those that get their number after the commit: uses and reports, where other servers write too */
export interface Committed<T> {
  readonly value: T;
  readonly events: readonly StoredAuditEvent[];
}

export interface Store {
  /** What a failure message calls it: a path, or the address without a password. */
  readonly name: string;
  /** Whether another process may write to it. */
  readonly isShared: boolean;
  read<T>(work: (rows: StoreReader) => Promise<T>): Promise<Result<T, Failure>>;
  /** All or nothing. `work` may run again after a conflict between servers, so it must have no effect besides. */
  write<T>(work: (rows: StoreWriter) => Promise<T>): Promise<Result<Committed<T>, Failure>>;
  /**
   * `tell` is called soon after events were recorded that no `write` of this process gave: those of other processes, where
   * the database can say so, and those that got their number late. Returns a function that ends it.
   */
  onUnseenEvents(tell: () => void): () => void;
  /** A whole copy as of one moment in a new file at `path`, while others read and write. Null where the database has tools for it. */
  readonly copyTo: ((path: string) => Promise<Result<null, Failure>>) | null;
  /** What is wrong with the database, in words; nothing when all is well. */
  check(): Promise<Result<readonly string[], Failure>>;
  close(): Promise<void>;
}
