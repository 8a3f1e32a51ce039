/** Rows of the tables for notifications, and conversions to and from the types of the store. */
import type { ChannelKind, NotificationEvent } from '../core/wire/notification.ts';
import type { Channel, NotificationJob } from './notification-store.ts';

interface ChannelRow {
  id: string;
  approver_id: string;
  kind: ChannelKind;
  name: string;
  target: string;
  sealed: string;
  session_hash: string | null;
  created_at_ms: number;
  ended_at_ms: number | null;
  last_at_ms: number | null;
  last_ok: number | null;
  last_text: string | null;
}

interface JobRow {
  id: string;
  event: NotificationEvent;
  grant_id: string | null;
  approver_id: string;
  channel_id: string | null;
  due_at_ms: number;
  attempts: number;
  held_until_ms: number;
  ended_at_ms: number | null;
  result: string | null;
}

export interface NotificationTables {
  notification_channels: ChannelRow;
  notification_preferences: { approver_id: string; preferences: string };
  notification_jobs: JobRow;
  notification_cursor: { id: number; seq: number };
}

export const channelOf = (row: ChannelRow): Channel => ({
  id: row.id,
  approverId: row.approver_id,
  kind: row.kind,
  name: row.name,
  target: row.target,
  sealed: row.sealed,
  sessionHash: row.session_hash,
  createdAtMs: row.created_at_ms,
  endedAtMs: row.ended_at_ms,
  last: row.last_at_ms === null ? null : { atMs: row.last_at_ms, isOk: row.last_ok === 1, text: row.last_text ?? '' },
});

export const channelRow = (channel: Channel): ChannelRow => ({
  id: channel.id,
  approver_id: channel.approverId,
  kind: channel.kind,
  name: channel.name,
  target: channel.target,
  sealed: channel.sealed,
  session_hash: channel.sessionHash,
  created_at_ms: channel.createdAtMs,
  ended_at_ms: channel.endedAtMs,
  last_at_ms: channel.last?.atMs ?? null,
  last_ok: channel.last === null ? null : Number(channel.last.isOk),
  last_text: channel.last?.text ?? null,
});

export const jobOf = (row: JobRow): NotificationJob => ({
  id: row.id,
  event: row.event,
  grantId: row.grant_id,
  approverId: row.approver_id,
  channelId: row.channel_id,
  dueAtMs: row.due_at_ms,
  attempts: row.attempts,
  heldUntilMs: row.held_until_ms,
  endedAtMs: row.ended_at_ms,
  result: row.result,
});

export const jobRow = (job: NotificationJob): JobRow => ({
  id: job.id,
  event: job.event,
  grant_id: job.grantId,
  approver_id: job.approverId,
  channel_id: job.channelId,
  due_at_ms: job.dueAtMs,
  attempts: job.attempts,
  held_until_ms: job.heldUntilMs,
  ended_at_ms: job.endedAtMs,
  result: job.result,
});
