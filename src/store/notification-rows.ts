/** Stores notifications. The SQL statements are the same for SQLite and PostgreSQL. */
import { type Kysely, sql } from 'kysely';
import { eventOf } from './event-rows.ts';
import {
  type Channel,
  type ChannelResult,
  NOTABLE_EVENT,
  type NotificationJob,
  type NotificationWriter,
} from './notification-store.ts';
import { channelOf, channelRow, jobOf, jobRow } from './notification-tables.ts';
import type { Tables } from './sql-tables.ts';

export class SqlNotificationRows implements NotificationWriter {
  readonly #db: Kysely<Tables>;
  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  async channel(id: string) {
    const row = await this.#db.selectFrom('notification_channels').selectAll().where('id', '=', id).executeTakeFirst();
    return row && channelOf(row);
  }

  async channels(approverId: string | null) {
    const query = this.#db.selectFrom('notification_channels').selectAll();
    const rows = await (approverId === null ? query : query.where('approver_id', '=', approverId))
      .orderBy('created_at_ms')
      .orderBy('id')
      .execute();
    return rows.map(channelOf);
  }

  async liveChannels() {
    const rows = await this.#db
      .selectFrom('notification_channels')
      .selectAll()
      .where('ended_at_ms', 'is', null)
      .orderBy('created_at_ms')
      .orderBy('id')
      .execute();
    return rows.map(channelOf);
  }

  async hasLiveChannel() {
    const row = await this.#db
      .selectFrom('notification_channels')
      .select('id')
      .where('ended_at_ms', 'is', null)
      .limit(1)
      .executeTakeFirst();
    return row !== undefined;
  }

  async preferencesOf(approverId: string) {
    const row = await this.#db
      .selectFrom('notification_preferences')
      .select('preferences')
      .where('approver_id', '=', approverId)
      .executeTakeFirst();
    return row?.preferences;
  }

  approvers() {
    return this.#db
      .selectFrom('subjects')
      .select(['id', 'name'])
      .where('role', '=', 'approver')
      .where('duty', 'is', null)
      .where('revoked_at_ms', 'is', null)
      .orderBy('name')
      .orderBy('id')
      .execute();
  }

  async notificationCursor() {
    const row = await this.#db.selectFrom('notification_cursor').select('seq').executeTakeFirst();
    return row?.seq ?? 0;
  }

  async notableEvents(afterSeq: number, limit: number) {
    const rows = await this.#db
      .selectFrom('events')
      .selectAll()
      .where('seq', '>', afterSeq)
      .where(sql<boolean>`${sql.raw(NOTABLE_EVENT)}`)
      .orderBy('seq')
      .limit(limit)
      .execute();
    return rows.map(eventOf);
  }

  async dueJobs(nowMs: number, limit: number, exceptChannels: readonly string[]) {
    const due = this.#db
      .selectFrom('notification_jobs')
      .selectAll()
      .where('ended_at_ms', 'is', null)
      .where('due_at_ms', '<=', nowMs)
      .where('held_until_ms', '<=', nowMs);
    const wanted =
      exceptChannels.length === 0
        ? due
        : due.where(({ eb, or }) => or([eb('channel_id', 'is', null), eb('channel_id', 'not in', exceptChannels)]));
    return (await wanted.orderBy('due_at_ms').limit(limit).execute()).map(jobOf);
  }

  async job(id: string) {
    const row = await this.#db.selectFrom('notification_jobs').selectAll().where('id', '=', id).executeTakeFirst();
    return row && jobOf(row);
  }

  async insertChannel(channel: Channel) {
    await this.#db.insertInto('notification_channels').values(channelRow(channel)).execute();
  }

  async removeChannel(id: string) {
    await this.#db.deleteFrom('notification_channels').where('id', '=', id).execute();
  }

  async endChannel(id: string, atMs: number) {
    await this.#db.updateTable('notification_channels').set({ ended_at_ms: atMs }).where('id', '=', id).execute();
  }

  async noteResult(channelId: string, { atMs, isOk, text }: ChannelResult) {
    await this.#db
      .updateTable('notification_channels')
      .set({ last_at_ms: atMs, last_ok: Number(isOk), last_text: text })
      .where('id', '=', channelId)
      .execute();
  }

  async savePreferences(approverId: string, preferences: string) {
    await this.#db
      .insertInto('notification_preferences')
      .values({ approver_id: approverId, preferences })
      .onConflict((conflict) => conflict.column('approver_id').doUpdateSet({ preferences }))
      .execute();
  }

  async moveCursor(from: number, to: number) {
    const { numUpdatedRows } = await this.#db
      .updateTable('notification_cursor')
      .set({ seq: to })
      .where('seq', '=', from)
      .executeTakeFirst();
    return numUpdatedRows === 1n;
  }

  async insertJob(job: NotificationJob) {
    await this.#db
      .insertInto('notification_jobs')
      .values(jobRow(job))
      .onConflict((conflict) => conflict.column('id').doNothing())
      .execute();
  }

  async holdJob(id: string, attempts: number, heldUntilMs: number) {
    const { numUpdatedRows } = await this.#db
      .updateTable('notification_jobs')
      .set({ attempts: attempts + 1, held_until_ms: heldUntilMs })
      .where('id', '=', id)
      .where('attempts', '=', attempts)
      .where('ended_at_ms', 'is', null)
      .executeTakeFirst();
    return numUpdatedRows === 1n;
  }

  async postponeJob(id: string, dueAtMs: number, attempts: number) {
    await this.#db
      .updateTable('notification_jobs')
      .set({ due_at_ms: dueAtMs, attempts, held_until_ms: 0 })
      .where('id', '=', id)
      .execute();
  }

  async endJob(id: string, atMs: number, result: string) {
    await this.#db
      .updateTable('notification_jobs')
      .set({ ended_at_ms: atMs, result, held_until_ms: 0 })
      .where('id', '=', id)
      .execute();
  }

  async forgetJobs(endedBeforeMs: number) {
    await this.#db.deleteFrom('notification_jobs').where('ended_at_ms', '<', endedBeforeMs).execute();
  }
}
