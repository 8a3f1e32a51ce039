/**
 * Delivers the changes of grants, enrolments, policies and requesters to listeners. A change by this process is delivered at once. A change
 * by another server on the same database is delivered at once (PostgreSQL) or within a second. The expiry of a grant is also delivered.
 */
import type { FastifyBaseLogger } from 'fastify';
import type { Failure } from '../../core/failure.ts';
import type { AuditKind, StoredAuditEvent } from '../../core/grant/audit-event.ts';
import { expiryAtMs, type Grant } from '../../core/grant/grant.ts';
import type { Policy } from '../../core/policy/policy.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Enrolment, Store, StoreReader } from '../../store/store.ts';
import { ExpiryTimer } from './expiry-timer.ts';

/**
 * `seq` is the number of the event that made the change. An expiry has no event: the `seq` of an expiry is null. If a `cut` caused the
 * change, `seq` is null for a grant and 0 for a requester. A change contains the present state. This state can be newer than the event.
 * Several events can become one change.
 */
export type FeedChange =
  | { readonly kind: 'grant'; readonly seq: number | null; readonly grant: Grant }
  | { readonly kind: 'enrolment'; readonly seq: number; readonly enrolment: Enrolment }
  | { readonly kind: 'policy'; readonly seq: number; readonly policy: Policy }
  | { readonly kind: 'requester'; readonly seq: number; readonly requester: RequesterState }
  /**
   * Retention removed events that the feed had not read yet. So a listener's state may be out of date. Only listeners of `watchEverything`
   * get the cut. After the cut, the feed delivers the present state of each grant and requester that `watchGrant` or `watchRequester`
   * watches. Enrolments and policies are not delivered again.
   */
  | { readonly kind: 'cut'; readonly seq: number };

/** Whether a requester is paused or revoked. In both cases, no line and no call of the requester runs now. */
export interface RequesterState {
  readonly id: string;
  readonly isPaused: boolean;
  readonly isRevoked: boolean;
}

/** The grant, enrolment, policy or requester that an event is about. */
interface FeedSubject {
  readonly kind: Exclude<FeedChange['kind'], 'cut'>;
  readonly id: string;
  readonly seq: number | null;
}

/** Events that can end a sign-in, or the token of a requester. */
const ENDS_SESSIONS: ReadonlySet<AuditKind> = new Set([
  'passkey.removed',
  'passkey.copied',
  'subject.revoked',
  'owner.signed_out',
  'key.asked',
  'key.replaced',
]);

/**
 * @property look       called when sign-ins or tokens have possibly ended
 * @property hasReaders whether at least one caller with a sign-in or a token is connected
 */
interface SessionWatch {
  readonly look: () => void;
  readonly hasReaders: () => boolean;
}

export type FeedListener = (change: FeedChange) => void;

interface Watched {
  readonly kind: 'grant' | 'requester';
  readonly listeners: Set<FeedListener>;
}

/** The interval between reads of other servers' events. With PostgreSQL, the feed also reads after each notification. */
export const POLL_MS = 1_000;
const MAX_POLLED_EVENTS = 1_000;
/** The pause after a read that failed. */
const RETRY_MS = 500;

export class GrantFeed {
  readonly #store: Store;
  readonly #log: FastifyBaseLogger;
  readonly #expiries: ExpiryTimer;
  readonly #everything = new Set<FeedListener>();
  /** The key is the id of a grant or requester; the value has its listeners. */
  readonly #byId = new Map<string, Watched>();
  readonly #sessionEnds = new Set<SessionWatch>();
  readonly #published = new Set<number>();
  #cursor = 0;
  #lastDelivery: Promise<void> = Promise.resolve();
  #poller: NodeJS.Timeout | null = null;
  #unsubscribe = (): void => undefined;
  #isPolling = false;
  #mustPollAgain = false;
  /** Subjects that the store could not read, by id. The feed reads these subjects again. */
  readonly #toReadAgain = new Map<string, FeedSubject>();
  #retry: NodeJS.Timeout | null = null;
  #isStopped = false;

  constructor(store: Store, clock: Clock, log: FastifyBaseLogger) {
    this.#store = store;
    this.#log = log;
    this.#expiries = new ExpiryTimer(store, clock, (ids) =>
      this.#inOrder(() => this.#deliverAll(ids.map((id) => ({ kind: 'grant', id, seq: null })))),
    );
  }

  /** Starts to deliver changes by other servers, if the database is shared. Call this before the server accepts calls. */
  async start(): Promise<void> {
    if (!this.#store.isShared) return;
    const last = await this.#store.read((rows) => rows.lastSeq());
    if (last.ok) this.#cursor = last.value;
    else this.#log.error({ failure: last.failure }, 'feed cannot read');
    this.#poller = setInterval(() => void this.#poll(), POLL_MS);
    this.#poller.unref();
    this.#unsubscribe = this.#store.onUnseenEvents(() => void this.#poll());
  }

  stop(): void {
    this.#isStopped = true;
    if (this.#poller !== null) clearInterval(this.#poller);
    if (this.#retry !== null) clearTimeout(this.#retry);
    this.#unsubscribe();
    this.#expiries.stop();
    this.#everything.clear();
    this.#byId.clear();
    this.#sessionEnds.clear();
  }

  /** Subscribes to one grant; returns the function that unsubscribes. Call this before you read the grant, so that you miss no change. */
  watchGrant(grantId: string, listener: FeedListener): () => void {
    return this.#watch('grant', grantId, listener);
  }

  /** Like `watchGrant`, but for the pauses, the resumptions and the revocation of one requester. */
  watchRequester(requesterId: string, listener: FeedListener): () => void {
    return this.#watch('requester', requesterId, listener);
  }

  #watch(kind: Watched['kind'], id: string, listener: FeedListener): () => void {
    const watched = this.#byId.get(id) ?? { kind, listeners: new Set() };
    this.#byId.set(id, watched);
    watched.listeners.add(listener);
    return () => {
      watched.listeners.delete(listener);
      if (watched.listeners.size === 0 && this.#byId.get(id) === watched) this.#byId.delete(id);
    };
  }

  /**
   * Calls `watch.look` after each event that has possibly ended sign-ins or tokens. The feed reads events of other servers only while there
   * are listeners, or while a watch has readers.
   */
  watchSessionEnds(watch: SessionWatch): void {
    this.#sessionEnds.add(watch);
  }

  /** Subscribes to every change; returns the function that unsubscribes. */
  watchEverything(listener: FeedListener): () => void {
    this.#everything.add(listener);
    this.#expiries.lookUp();
    return () => this.#everything.delete(listener);
  }

  /** Makes the feed deliver the expiry of the grant. Call this for a grant with a listener. */
  expect(grant: Grant): void {
    this.#expiries.expect(expiryAtMs(grant));
  }

  /** Delivers the changes of events that this process has recorded. Returns before the delivery. */
  publish(events: readonly StoredAuditEvent[]): void {
    if (this.#poller !== null) for (const event of events) this.#published.add(event.seq);
    this.#inOrder(() => this.#deliver(events));
  }

  #inOrder(work: () => Promise<void>): void {
    this.#lastDelivery = this.#lastDelivery
      .then(work)
      .catch((error: unknown) => this.#log.error({ error }, 'feed failed'));
  }

  async #deliver(events: readonly StoredAuditEvent[]): Promise<void> {
    if (events.some(({ kind }) => ENDS_SESSIONS.has(kind))) for (const { look } of this.#sessionEnds) look();
    const subjects = new Map<string, FeedSubject>();
    for (const event of events) {
      const { seq, grantId, enrolmentId } = event;
      const policyId = policyIdOf(event);
      if (grantId !== null) subjects.set(grantId, { kind: 'grant', id: grantId, seq });
      if (enrolmentId !== null) subjects.set(enrolmentId, { kind: 'enrolment', id: enrolmentId, seq });
      if (policyId !== null) subjects.set(policyId, { kind: 'policy', id: policyId, seq });
      const requesterId = requesterIdOf(event);
      if (requesterId !== null) subjects.set(requesterId, { kind: 'requester', id: requesterId, seq });
    }
    await this.#deliverAll([...subjects.values()]);
  }

  async #deliverAll(subjects: readonly FeedSubject[]): Promise<void> {
    for (const subject of subjects) {
      if (this.#everything.size === 0 && !this.#byId.has(subject.id)) continue;
      const found = await this.#store.read((rows) => changeOf(rows, subject));
      if (found.ok && found.value !== undefined) this.#announce(found.value);
      if (!found.ok) this.#readAgainLater(subject, found.failure);
    }
  }

  /** Retries a failed read of a subject until the store answers. Without a retry, the listener would wait for ever. */
  #readAgainLater(subject: FeedSubject, reason: Failure): void {
    this.#log.error({ failure: reason }, 'feed cannot read');
    const known = this.#toReadAgain.get(subject.id);
    if (known === undefined || (known.seq ?? 0) <= (subject.seq ?? 0)) this.#toReadAgain.set(subject.id, subject);
    if (this.#isStopped || this.#retry !== null) return;
    this.#retry = setTimeout(() => {
      this.#retry = null;
      const subjects = [...this.#toReadAgain.values()];
      this.#toReadAgain.clear();
      this.#inOrder(() => this.#deliverAll(subjects));
    }, RETRY_MS);
    this.#retry.unref();
  }

  /** Announces a cut, checks the sessions, and delivers the present state of every grant and requester that has a listener. */
  async #lookAgain(seq: number): Promise<void> {
    for (const { look } of this.#sessionEnds) look();
    for (const listener of [...this.#everything]) listener({ kind: 'cut', seq });
    await this.#deliverAll([...this.#byId].map(([id, { kind }]) => ({ kind, id, seq: null })));
  }

  #announce(change: FeedChange): void {
    if (change.kind === 'grant') this.expect(change.grant);
    const id = change.kind === 'grant' ? change.grant.id : change.kind === 'requester' ? change.requester.id : null;
    if (id !== null) for (const listener of [...(this.#byId.get(id)?.listeners ?? [])]) listener(change);
    for (const listener of [...this.#everything]) listener(change);
  }

  async #poll(): Promise<void> {
    if (this.#isPolling) {
      this.#mustPollAgain = true;
      return;
    }
    this.#isPolling = true;
    do {
      this.#mustPollAgain = false;
      while (await this.#readOn());
    } while (this.#mustPollAgain && !this.#isStopped);
    this.#isPolling = false;
  }

  readonly #isIdle = (): boolean =>
    this.#everything.size === 0 &&
    this.#byId.size === 0 &&
    ![...this.#sessionEnds].some(({ hasReaders }) => hasReaders());

  /**
   * Reads the events after the cursor. If the feed is idle, skips these events. Events get numbers in the order of commits. So the feed
   * misses no event. A gap in the numbers means that retention has removed events while this server could not read.
   * @returns whether there are possibly more events to read
   */
  async #readOn(): Promise<boolean> {
    const after = this.#cursor;
    const skips = this.#isIdle();
    const read = await this.#store.read(async (rows) =>
      skips
        ? { events: [], last: await rows.lastSeq() }
        : { events: await rows.events(after, MAX_POLLED_EVENTS), last: after },
    );
    if (!read.ok) return false;
    if (skips && !this.#isIdle()) return true; // a listener that subscribed during this read may need the skipped events
    const { events, last } = read.value;
    const foreign = events.filter((event) => !this.#published.has(event.seq));
    this.#cursor = events.at(-1)?.seq ?? last;
    for (const seq of this.#published) if (seq <= this.#cursor) this.#published.delete(seq);
    if (foreign.length > 0) this.#inOrder(() => this.#deliver(foreign));
    if (events.some(({ seq }, index) => seq !== after + 1 + index)) this.#inOrder(() => this.#lookAgain(this.#cursor));
    return events.length === MAX_POLLED_EVENTS;
  }
}

/** Reads the present state of the subject, and makes the change from this state; undefined: the subject does not exist. */
async function changeOf(rows: StoreReader, { kind, id, seq }: FeedSubject): Promise<FeedChange | undefined> {
  if (kind === 'grant') {
    const grant = await rows.grant(id);
    return grant && { kind, seq, grant };
  }
  if (kind === 'enrolment') {
    const enrolment = await rows.enrolment(id);
    return enrolment && { kind, seq: seq ?? 0, enrolment };
  }
  if (kind === 'requester') return { kind, seq: seq ?? 0, requester: await requesterState(rows, id) };
  const policy = await rows.policy(id);
  return policy && { kind, seq: seq ?? 0, policy };
}

/** Reads the state of a requester. An unknown requester counts as revoked. */
export async function requesterState(rows: StoreReader, id: string): Promise<RequesterState> {
  const subject = await rows.subject(id);
  return { id, isPaused: (await rows.pause(id)) !== undefined, isRevoked: subject?.revokedAtMs !== null };
}

const ABOUT_REQUESTERS: ReadonlySet<AuditKind> = new Set(['requester.paused', 'requester.resumed', 'subject.revoked']);

/** Returns the requester that the event pauses, resumes or revokes; null for every other event. */
export function requesterIdOf({ kind, facts }: StoredAuditEvent): string | null {
  const { requesterId } = facts;
  return ABOUT_REQUESTERS.has(kind) && typeof requesterId === 'string' ? requesterId : null;
}

/** Returns the policy that the event is about; null for every other event. */
export function policyIdOf({ kind, facts }: StoredAuditEvent): string | null {
  const { policyId } = facts;
  return kind.startsWith('policy.') && typeof policyId === 'string' ? policyId : null;
}
