/**
 * Sends notifications: at once for events that this server recorded, and within seconds for those of another server that ended.
 * All its state is in the database.
 */
import type { StoredAuditEvent } from '../../core/grant/audit-event.ts';
import { success } from '../../core/result.ts';
import type { NotificationJob } from '../../store/notification-store.ts';
import { RateBudget } from '../budgets.ts';
import { change, type ServerParts } from '../server-ports.ts';
import { hasNotableEvents, planNext } from './plan-notifications.ts';
import { workOffJob } from './work-off-job.ts';

/** So often it looks for notifications that another server could not send any more. */
const LOOK_MS = 2_000;
const MAX_AT_ONCE = 16;
/** A channel that does not answer must not delay the others. */
const MAX_AT_ONCE_PER_CHANNEL = 2;
const DUE_READ = 200;
/** No person reads more on a phone. A notification that has to wait is dropped once its request does not wait any more. */
const PER_CHANNEL = { atOnce: 20, perSecond: 6 / 60 };
const KEPT_MS = 7 * 24 * 3_600_000;
const FORGET_EVERY_MS = 3_600_000;
/** When the server stops, a notification that is being sent may take so long. */
const STOP_TIMEOUT_MS = 2_000;

const NOTABLE: ReadonlySet<string> = new Set(['grant.requested', 'grant.approved', 'grant.denied']);

export class NotificationDispatcher {
  private readonly parts: () => ServerParts;
  private readonly budget: RateBudget;
  private readonly underWay = new Map<string, Promise<void>>();
  private readonly perChannel = new Map<string, number>();
  private readonly ending = new AbortController();
  private timer: NodeJS.Timeout | null = null;
  private looking: Promise<void> | null = null;
  private isWokenMeanwhile = false;
  private isStopped = false;
  private forgotAtMs = Number.NEGATIVE_INFINITY;

  /** @param parts not needed before `start` */
  constructor(parts: () => ServerParts, clock: ConstructorParameters<typeof RateBudget>[1]) {
    this.parts = parts;
    this.budget = new RateBudget(PER_CHANNEL, clock);
  }

  start(): void {
    this.timer = setInterval(() => this.wake(), LOOK_MS);
    this.timer.unref();
    this.wake();
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    if (this.timer !== null) clearInterval(this.timer);
    const abort = setTimeout(() => this.ending.abort(), STOP_TIMEOUT_MS);
    await this.looking;
    await Promise.allSettled(this.underWay.values());
    clearTimeout(abort);
  }

  /** Call it with the recorded events. */
  recorded(events: readonly StoredAuditEvent[]): void {
    if (events.some(({ kind }) => NOTABLE.has(kind))) this.wake();
  }

  wake(): void {
    if (this.isStopped) return;
    if (this.looking !== null) {
      this.isWokenMeanwhile = true;
      return;
    }
    this.looking = this.look()
      .catch((error: unknown) => this.parts().log.error({ error }, 'notifications'))
      .finally(() => {
        this.looking = null;
        if (this.isWokenMeanwhile) this.wake();
        this.isWokenMeanwhile = false;
      });
  }

  private async look(): Promise<void> {
    const parts = this.parts();
    const { store, clock } = parts;
    for (;;) {
      const found = await store.read(hasNotableEvents);
      if (!found.ok || !found.value || this.isStopped) break;
      await change(parts, async (rows) => success(await planNext(parts, rows)));
    }
    const full = new Set<string>();
    while (this.underWay.size < MAX_AT_ONCE && !this.isStopped) {
      const due = await store.read((rows) => rows.notifications.dueJobs(clock.nowMs(), DUE_READ, [...full]));
      if (!due.ok) return;
      const before = full.size;
      for (const job of due.value) this.beginOr(parts, job, full);
      if (due.value.length < DUE_READ || full.size === before) break; // else there may be more for other channels
    }
    await this.forget(parts);
  }

  /** @param full the channels that take no more now */
  private beginOr(parts: ServerParts, job: NotificationJob, full: Set<string>): void {
    const channelId = job.channelId ?? '';
    if (this.underWay.has(job.id) || this.underWay.size >= MAX_AT_ONCE || full.has(channelId)) return;
    const isFree = (this.perChannel.get(channelId) ?? 0) < MAX_AT_ONCE_PER_CHANNEL;
    if (isFree && (channelId === '' || job.attempts > 0 || this.budget.take(channelId))) this.begin(parts, job);
    else full.add(channelId);
  }

  private begin(parts: ServerParts, job: NotificationJob): void {
    const channelId = job.channelId ?? '';
    this.count(channelId, 1);
    const work = workOffJob(parts, job, this.ending.signal)
      .catch((error: unknown) => parts.log.error({ error }, 'notification'))
      .finally(() => {
        this.underWay.delete(job.id);
        this.count(channelId, -1);
        this.wake();
      });
    this.underWay.set(job.id, work);
  }

  private count(channelId: string, by: number): void {
    const next = (this.perChannel.get(channelId) ?? 0) + by;
    if (next > 0) this.perChannel.set(channelId, next);
    else this.perChannel.delete(channelId);
  }

  private async forget(parts: ServerParts): Promise<void> {
    const nowMs = parts.clock.nowMs();
    if (nowMs - this.forgotAtMs < FORGET_EVERY_MS) return;
    this.forgotAtMs = nowMs;
    const has = await parts.store.read((rows) => rows.notifications.hasLiveChannel());
    if (has.ok && has.value)
      await change(parts, async (rows) => success(await rows.notifications.forgetJobs(nowMs - KEPT_MS)));
  }
}
