/**
 * Sends the due notifications from the database. An event on this server starts the dispatcher at once. A timer finds the notifications
 * that another server did not send.
 */
import type { StoredAuditEvent } from '../../core/grant/audit-event.ts';
import { success } from '../../core/result.ts';
import type { NotificationJob } from '../../store/notification-store.ts';
import { RateBudget } from '../budgets.ts';
import { change, type ServerParts } from '../server-ports.ts';
import { hasNotableEvents, planNext } from './plan-notifications.ts';
import { workOffJob } from './work-off-job.ts';

/**
 * How often a timer makes the dispatcher look for due notifications, even if no event occurs on this server. The dispatcher then finds
 * notifications that were postponed, or that another server did not send.
 */
const LOOK_EVERY_MS = 2_000;
/** The most notifications that this server sends at the same time, over all channels. */
const MAX_AT_ONCE = 16;
/** A channel that does not answer must not delay the other channels. */
const MAX_AT_ONCE_PER_CHANNEL = 2;
/** How many due notifications one query reads. */
const DUE_READ = 200;
/**
 * The rate of one channel. A person does not read more notifications on a phone. A notification above the rate waits in the database. It is
 * dropped if it is no longer true when its turn comes.
 */
const PER_CHANNEL = { atOnce: 20, perSecond: 6 / 60 };
/** How long a notification stays in the database after it was sent or dropped. */
const KEPT_MS = 7 * 24 * 3_600_000;
const FORGET_EVERY_MS = 3_600_000;
/** When the server stops, it waits this long for notifications that are being sent, and then aborts them. */
const STOP_TIMEOUT_MS = 2_000;

const NOTABLE: ReadonlySet<string> = new Set(['grant.requested', 'grant.approved', 'grant.denied']);

export class NotificationDispatcher {
  readonly #parts: () => ServerParts;
  readonly #budget: RateBudget;
  readonly #underWay = new Map<string, Promise<void>>();
  readonly #perChannel = new Map<string, number>();
  readonly #ending = new AbortController();
  #timer: NodeJS.Timeout | null = null;
  #looking: Promise<void> | null = null;
  #isWokenMeanwhile = false;
  #isStopped = false;
  #forgotAtMs = Number.NEGATIVE_INFINITY;

  /** @param parts not called by the constructor: the dispatcher is one of the parts, and the parts are not complete yet */
  constructor(parts: () => ServerParts, clock: ConstructorParameters<typeof RateBudget>[1]) {
    this.#parts = parts;
    this.#budget = new RateBudget(PER_CHANNEL, clock);
  }

  start(): void {
    this.#timer = setInterval(() => this.wake(), LOOK_EVERY_MS);
    this.#timer.unref();
    this.wake();
  }

  /** Waits until no notification is being sent. After this call, `wake` does nothing. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    if (this.#timer !== null) clearInterval(this.#timer);
    const abort = setTimeout(() => this.#ending.abort(), STOP_TIMEOUT_MS);
    await this.#looking;
    await Promise.allSettled(this.#underWay.values());
    clearTimeout(abort);
  }

  /** Looks for due notifications if one of the events that were just recorded can have caused a notification. */
  recorded(events: readonly StoredAuditEvent[]): void {
    if (events.some(({ kind }) => NOTABLE.has(kind))) this.wake();
  }

  /** Looks for due notifications now. If the dispatcher already looks for them, it looks once more afterwards. */
  wake(): void {
    if (this.#isStopped) return;
    if (this.#looking !== null) {
      this.#isWokenMeanwhile = true;
      return;
    }
    this.#looking = this.#look()
      .catch((error: unknown) => this.#parts().log.error({ error }, 'looking for due notifications failed'))
      .finally(() => {
        this.#looking = null;
        if (this.#isWokenMeanwhile) this.wake();
        this.#isWokenMeanwhile = false;
      });
  }

  async #look(): Promise<void> {
    const parts = this.#parts();
    const { store, clock } = parts;
    for (;;) {
      const found = await store.read(hasNotableEvents);
      if (!found.ok || !found.value || this.#isStopped) break;
      const planned = await change(parts, async (rows) => success(await planNext(parts, rows)));
      if (!planned.ok) break; // the events stay, and the next call plans for them
    }
    const full = new Set<string>();
    while (this.#underWay.size < MAX_AT_ONCE && !this.#isStopped) {
      const due = await store.read((rows) => rows.notifications.dueJobs(clock.nowMs(), DUE_READ, [...full]));
      if (!due.ok) return;
      const before = full.size;
      for (const job of due.value) this.#beginOrMarkFull(parts, job, full);
      if (due.value.length < DUE_READ || full.size === before) break;
      // Possibly all jobs that were read belong to full channels. The next query leaves these channels out.
    }
    await this.#forget(parts);
  }

  /**
   * Begins to send the notification. Does nothing if this server already sends it, or sends `MAX_AT_ONCE` others. If the channel is busy or
   * above its rate, adds the channel to `full` instead. A repeated attempt does not count for the rate of the channel.
   */
  #beginOrMarkFull(parts: ServerParts, job: NotificationJob, full: Set<string>): void {
    const channelId = job.channelId ?? '';
    if (this.#underWay.has(job.id) || this.#underWay.size >= MAX_AT_ONCE || full.has(channelId)) return;
    const isFree = (this.#perChannel.get(channelId) ?? 0) < MAX_AT_ONCE_PER_CHANNEL;
    if (isFree && (channelId === '' || job.attempts > 0 || this.#budget.take(channelId))) this.#begin(parts, job);
    else full.add(channelId);
  }

  #begin(parts: ServerParts, job: NotificationJob): void {
    const channelId = job.channelId ?? '';
    this.#count(channelId, 1);
    const work = workOffJob(parts, job, this.#ending.signal)
      .catch((error: unknown) => {
        parts.log.error({ error }, 'sending a notification failed');
        return 'still due' as const;
      })
      .then((end) => {
        this.#underWay.delete(job.id);
        this.#count(channelId, -1);
        if (end === 'over') this.wake(); // a job that is still due waits for the timer, which prevents a busy loop
      });
    this.#underWay.set(job.id, work);
  }

  #count(channelId: string, by: number): void {
    const next = (this.#perChannel.get(channelId) ?? 0) + by;
    if (next > 0) this.#perChannel.set(channelId, next);
    else this.#perChannel.delete(channelId);
  }

  async #forget(parts: ServerParts): Promise<void> {
    const nowMs = parts.clock.nowMs();
    if (nowMs - this.#forgotAtMs < FORGET_EVERY_MS) return;
    const has = await parts.store.read((rows) => rows.notifications.hasLiveChannel());
    if (!has.ok) return;
    const forgotten = has.value
      ? await change(parts, async (rows) => success(await rows.notifications.forgetJobs(nowMs - KEPT_MS)))
      : has;
    if (forgotten.ok) this.#forgotAtMs = nowMs;
  }
}
