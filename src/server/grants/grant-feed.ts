/**
 * Who waits hears of every change: from this process at once, from other servers on the same database within a second,
 * and when time alone ends a grant, at that moment.
 */
import type { FastifyBaseLogger } from 'fastify';
import type { StoredAuditEvent } from '../../core/audit-event.ts';
import { expiryAtMs, type Grant } from '../../core/grant.ts';
import type { Policy } from '../../core/scope/policy.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Enrolment, Store } from '../../store/store.ts';
import { ExpiryTimer } from './expiry-timer.ts';

/** `seq` is that of the event behind it, or null when time passed. */
export type FeedChange =
  | { readonly kind: 'grant'; readonly seq: number | null; readonly grant: Grant }
  | { readonly kind: 'enrolment'; readonly seq: number; readonly enrolment: Enrolment }
  | { readonly kind: 'policy'; readonly seq: number; readonly policy: Policy };

export type FeedListener = (change: FeedChange) => void;

export const POLL_MS = 1_000;
const POLL_LIMIT = 1_000;

export class GrantFeed {
  private readonly store: Store;
  private readonly log: FastifyBaseLogger;
  private readonly expiries: ExpiryTimer;
  private readonly everything = new Set<FeedListener>();
  private readonly byGrant = new Map<string, Set<FeedListener>>();
  private readonly published = new Set<number>();
  private cursor = 0;
  private lastDelivery: Promise<void> = Promise.resolve();
  private poller: NodeJS.Timeout | null = null;
  private isPolling = false;

  constructor(store: Store, clock: Clock, log: FastifyBaseLogger) {
    this.store = store;
    this.log = log;
    this.expiries = new ExpiryTimer(store, clock, (ids) =>
      this.inOrder(() => this.deliverGrants(ids.map((id) => [id, null]))),
    );
  }

  /** Call it before the server takes its first call: whatever another server writes from here on is delivered. */
  async start(): Promise<void> {
    if (!this.store.isShared) return;
    const last = await this.store.read((rows) => rows.lastSeq());
    if (last.ok) this.cursor = last.value;
    else this.log.error({ failure: last.failure }, 'feed cannot read');
    this.poller = setInterval(() => void this.poll(), POLL_MS);
    this.poller.unref();
  }

  stop(): void {
    if (this.poller !== null) clearInterval(this.poller);
    this.expiries.stop();
    this.everything.clear();
    this.byGrant.clear();
  }

  /** Subscribe first, then read the present state: so nothing falls between. Returns how to leave. */
  watchGrant(grantId: string, listener: FeedListener): () => void {
    const listeners = this.byGrant.get(grantId) ?? new Set();
    this.byGrant.set(grantId, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.byGrant.get(grantId) === listeners) this.byGrant.delete(grantId);
    };
  }

  watchEverything(listener: FeedListener): () => void {
    this.everything.add(listener);
    this.expiries.lookUp();
    return () => this.everything.delete(listener);
  }

  /** A grant somebody waits for: its end must not pass unseen. */
  expect(grant: Grant): void {
    this.expiries.expect(expiryAtMs(grant));
  }

  publish(events: readonly StoredAuditEvent[]): void {
    if (this.poller !== null) for (const event of events) this.published.add(event.seq);
    this.inOrder(() => this.deliver(events));
  }

  private inOrder(work: () => Promise<void>): void {
    this.lastDelivery = this.lastDelivery
      .then(work)
      .catch((error: unknown) => this.log.error({ error }, 'feed failed'));
  }

  private async deliver(events: readonly StoredAuditEvent[]): Promise<void> {
    const lastSeqs = new Map<string, number>();
    for (const event of events) if (event.grantId !== null) lastSeqs.set(event.grantId, event.seq);
    await this.deliverGrants([...lastSeqs]);
    for (const event of events)
      if (event.enrolmentId !== null) await this.deliverEnrolment(event.enrolmentId, event.seq);
    const policySeqs = new Map<string, number>();
    for (const event of events) {
      const policyId = policyIdOf(event);
      if (policyId !== null) policySeqs.set(policyId, event.seq);
    }
    for (const [policyId, seq] of policySeqs) await this.deliverPolicy(policyId, seq);
  }

  private async deliverGrants(changes: readonly (readonly [string, number | null])[]): Promise<void> {
    for (const [grantId, seq] of changes) {
      if (this.everything.size === 0 && !this.byGrant.has(grantId)) continue;
      const found = await this.store.read((rows) => rows.grant(grantId));
      if (!found.ok) this.log.error({ failure: found.failure }, 'feed cannot read');
      else if (found.value !== undefined) this.tell({ kind: 'grant', seq, grant: found.value });
    }
  }

  private async deliverEnrolment(enrolmentId: string, seq: number): Promise<void> {
    if (this.everything.size === 0) return;
    const found = await this.store.read((rows) => rows.enrolment(enrolmentId));
    if (found.ok && found.value !== undefined) this.tell({ kind: 'enrolment', seq, enrolment: found.value });
  }

  private async deliverPolicy(policyId: string, seq: number): Promise<void> {
    if (this.everything.size === 0) return;
    const found = await this.store.read((rows) => rows.policy(policyId));
    if (found.ok && found.value !== undefined) this.tell({ kind: 'policy', seq, policy: found.value });
  }

  private tell(change: FeedChange): void {
    if (change.kind === 'grant') {
      this.expect(change.grant);
      for (const listener of [...(this.byGrant.get(change.grant.id) ?? [])]) listener(change);
    }
    for (const listener of [...this.everything]) listener(change);
  }

  private async poll(): Promise<void> {
    if (this.isPolling) return;
    this.isPolling = true;
    while (await this.readOn());
    this.isPolling = false;
  }

  private readonly isIdle = (): boolean => this.everything.size === 0 && this.byGrant.size === 0;

  /**
   * Events are numbered in the order of commits without gaps, so reading on from the last one misses none.
   * @returns whether there may be more to read at once
   */
  private async readOn(): Promise<boolean> {
    const after = this.cursor;
    const skips = this.isIdle();
    const read = await this.store.read(async (rows) =>
      skips
        ? { events: [], last: await rows.lastSeq() }
        : { events: await rows.events(after, POLL_LIMIT), last: after },
    );
    if (!read.ok) return false;
    if (skips && !this.isIdle()) return true; // who came while we looked may wait for an event that this would skip
    const { events, last } = read.value;
    const foreign = events.filter((event) => !this.published.has(event.seq));
    this.cursor = events.at(-1)?.seq ?? last;
    for (const seq of this.published) if (seq <= this.cursor) this.published.delete(seq);
    if (foreign.length > 0) this.inOrder(() => this.deliver(foreign));
    return events.length === POLL_LIMIT;
  }
}

/** Which policy an event is about; null for every other event. */
export function policyIdOf({ kind, facts }: StoredAuditEvent): string | null {
  const { policyId } = facts;
  return kind.startsWith('policy.') && typeof policyId === 'string' ? policyId : null;
}
