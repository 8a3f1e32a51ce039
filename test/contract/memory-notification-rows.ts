/** The notification rows of a memory store. */
import type { StoredAuditEvent } from '../../src/core/grant/audit-event.ts';
import type {
  Channel,
  ChannelResult,
  NotificationJob,
  NotificationWriter,
} from '../../src/store/notification-store.ts';
import type { Subject } from '../../src/store/store.ts';

/** The tables of notifications. */
export class NotificationMaps {
  readonly channels = new Map<string, Channel>();
  readonly preferences = new Map<string, string>();
  readonly jobs = new Map<string, NotificationJob>();
  readonly cursor = new Map<'seq', number>();
}

/** The tables of the store that notifications read. */
interface OtherTables {
  readonly events: ReadonlyMap<number, StoredAuditEvent>;
  readonly subjects: ReadonlyMap<string, Subject>;
}

/** Writes a row so that the change can be undone; `undefined` removes the row. */
type SetRow = <Key, Row>(table: Map<Key, Row>, key: Key, row: Row | undefined) => void;

const NOTABLE: ReadonlySet<string> = new Set(['grant.requested', 'grant.approved', 'grant.denied']);
const byId = (left: { readonly id: string }, right: { readonly id: string }): number => (left.id < right.id ? -1 : 1);

export class MemoryNotificationRows implements NotificationWriter {
  private readonly maps: NotificationMaps;
  private readonly beside: OtherTables;
  private readonly set: SetRow;
  constructor(maps: NotificationMaps, beside: OtherTables, set: SetRow) {
    this.maps = maps;
    this.beside = beside;
    this.set = set;
  }

  async channel(id: string) {
    return this.maps.channels.get(id);
  }
  async channels(approverId: string | null) {
    return [...this.maps.channels.values()]
      .filter((channel) => approverId === null || channel.approverId === approverId)
      .sort((left, right) => left.createdAtMs - right.createdAtMs || byId(left, right));
  }
  async liveChannels() {
    return (await this.channels(null)).filter(({ endedAtMs }) => endedAtMs === null);
  }
  async hasLiveChannel() {
    return [...this.maps.channels.values()].some(({ endedAtMs }) => endedAtMs === null);
  }
  async preferencesOf(approverId: string) {
    return this.maps.preferences.get(approverId);
  }
  async approvers() {
    return [...this.beside.subjects.values()]
      .filter(({ role, revokedAtMs }) => role === 'approver' && revokedAtMs === null)
      .sort((left, right) => (left.name === right.name ? byId(left, right) : left.name < right.name ? -1 : 1))
      .map(({ id, name }) => ({ id, name }));
  }
  async notificationCursor() {
    return this.maps.cursor.get('seq') ?? 0;
  }
  async notableEvents(afterSeq: number, limit: number) {
    const found = [...this.beside.events.values()].filter(({ seq, kind }) => seq > afterSeq && NOTABLE.has(kind));
    return found.slice(0, limit);
  }
  async dueJobs(nowMs: number, limit: number, exceptChannels: readonly string[]) {
    return this.open()
      .filter(({ dueAtMs, heldUntilMs }) => dueAtMs <= nowMs && heldUntilMs <= nowMs)
      .filter(({ channelId }) => channelId === null || !exceptChannels.includes(channelId))
      .sort((left, right) => left.dueAtMs - right.dueAtMs)
      .slice(0, limit);
  }
  async job(id: string) {
    return this.maps.jobs.get(id);
  }
  async insertChannel(channel: Channel) {
    this.set(this.maps.channels, channel.id, channel);
  }
  async removeChannel(id: string) {
    this.set(this.maps.channels, id, undefined);
  }
  async endChannel(id: string, atMs: number) {
    const channel = this.maps.channels.get(id);
    if (channel !== undefined) this.set(this.maps.channels, id, { ...channel, endedAtMs: atMs });
  }
  async noteResult(channelId: string, last: ChannelResult) {
    const channel = this.maps.channels.get(channelId);
    if (channel !== undefined) this.set(this.maps.channels, channelId, { ...channel, last });
  }
  async savePreferences(approverId: string, json: string) {
    this.set(this.maps.preferences, approverId, json);
  }
  async moveCursor(from: number, to: number) {
    if ((await this.notificationCursor()) !== from) return false;
    this.set(this.maps.cursor, 'seq', to);
    return true;
  }
  async insertJob(job: NotificationJob) {
    if (!this.maps.jobs.has(job.id)) this.set(this.maps.jobs, job.id, job);
  }
  async holdJob(id: string, attempts: number, heldUntilMs: number) {
    const job = this.maps.jobs.get(id);
    if (job === undefined || job.attempts !== attempts || job.endedAtMs !== null) return false;
    this.set(this.maps.jobs, id, { ...job, attempts: attempts + 1, heldUntilMs });
    return true;
  }
  async postponeJob(id: string, dueAtMs: number, attempts: number) {
    const job = this.maps.jobs.get(id);
    if (job !== undefined) this.set(this.maps.jobs, id, { ...job, dueAtMs, attempts, heldUntilMs: 0 });
  }
  async endJob(id: string, atMs: number, result: string) {
    const job = this.maps.jobs.get(id);
    if (job !== undefined) this.set(this.maps.jobs, id, { ...job, endedAtMs: atMs, result, heldUntilMs: 0 });
  }
  async forgetJobs(endedBeforeMs: number) {
    for (const { id, endedAtMs } of this.maps.jobs.values())
      if (endedAtMs !== null && endedAtMs < endedBeforeMs) this.set(this.maps.jobs, id, undefined);
  }

  private open(): NotificationJob[] {
    return [...this.maps.jobs.values()].filter(({ endedAtMs }) => endedAtMs === null);
  }
}
