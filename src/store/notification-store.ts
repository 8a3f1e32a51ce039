/** The part of the store for notifications to approvers: channels, preferences, and the jobs that send notifications. */
import type { StoredAuditEvent } from '../core/grant/audit-event.ts';
import type { ChannelKind, NotificationEvent } from '../core/wire/notification.ts';

/**
 * One way to reach one approver.
 * @property target      what people may see of the receiver: a host or an address, never a secret
 * @property sealed      the channel's settings, encrypted with a key of the server
 * @property sessionHash hash of the browser session to which a push subscription belongs; null for other kinds
 * @property endedAtMs   when the receiver was found gone or the browser was signed out; null: the channel has not ended
 * @property last        null: no attempt to send a notification on this channel has ended yet
 */
export interface Channel {
  readonly id: string;
  readonly approverId: string;
  readonly kind: ChannelKind;
  readonly name: string;
  readonly target: string;
  readonly sealed: string;
  readonly sessionHash: string | null;
  readonly createdAtMs: number;
  readonly endedAtMs: number | null;
  readonly last: ChannelResult | null;
}

/**
 * The result of the last notification on a channel.
 * @property text `sent` with the kind of event, or why the notification was not sent
 */
export interface ChannelResult {
  readonly atMs: number;
  readonly isOk: boolean;
  readonly text: string;
}

/**
 * One notification that will be sent or was sent.
 * @property id          made from the event, the grant and the receiver. So the job exists once, even if several servers plan the job. For
 *                       a sign-in with a break-glass code, the id has the subject that signed in, instead of the grant. A test has a
 *                       random id.
 * @property grantId     null for a test, and for a sign-in with a break-glass code
 * @property channelId   null for an escalation. When an escalation is due, it becomes notifications on channels
 * @property heldUntilMs until this time, one server works on the job, and other servers leave the job alone; 0: no server works on the job
 * @property result      `sent`, or what else became of the job; null: the job has not ended
 */
export interface NotificationJob {
  readonly id: string;
  readonly event: NotificationEvent;
  readonly grantId: string | null;
  readonly approverId: string;
  readonly channelId: string | null;
  readonly dueAtMs: number;
  readonly attempts: number;
  readonly heldUntilMs: number;
  readonly endedAtMs: number | null;
  readonly result: string | null;
}

export interface NotificationReader {
  channel(id: string): Promise<Channel | undefined>;
  /**
   * Returns the channels of an approver, even channels that have ended, the oldest first.
   * @param approverId null: the channels of all approvers
   */
  channels(approverId: string | null): Promise<readonly Channel[]>;
  /** Returns all channels that have not ended, of all approvers, the oldest first. */
  liveChannels(): Promise<readonly Channel[]>;
  /** Whether at least one approver has a channel that has not ended. */
  hasLiveChannel(): Promise<boolean>;
  /** Returns JSON; undefined if the person has set no preferences. */
  preferencesOf(approverId: string): Promise<string | undefined>;
  /** Returns all approvers who are not revoked, sorted by name. Leaves out the roles `auditor` and `break-glass`. */
  approvers(): Promise<readonly { readonly id: string; readonly name: string }[]>;
  /** Returns the number of the last event for which notifications were planned; 0: there is no such event yet. */
  notificationCursor(): Promise<number>;
  /** Returns the events that can lead to a notification and have a number above `afterSeq`. Sorts them by number. */
  notableEvents(afterSeq: number, limit: number): Promise<readonly StoredAuditEvent[]>;
  /** Returns the due jobs on which no server works, the earliest first. Jobs for `exceptChannels` are left out. */
  dueJobs(nowMs: number, limit: number, exceptChannels: readonly string[]): Promise<readonly NotificationJob[]>;
  job(id: string): Promise<NotificationJob | undefined>;
}

/** `moveCursor` and `holdJob` are compare-and-set: false means that another server was first. */
export interface NotificationWriter extends NotificationReader {
  insertChannel(channel: Channel): Promise<void>;
  removeChannel(id: string): Promise<void>;
  /** Stores that the channel has ended. Its approver still sees the channel. */
  endChannel(id: string, atMs: number): Promise<void>;
  noteResult(channelId: string, result: ChannelResult): Promise<void>;
  savePreferences(approverId: string, json: string): Promise<void>;
  /** Changes the number of `notificationCursor` to `to`. Returns false, and changes nothing, if the number is not `from`. */
  moveCursor(from: number, to: number): Promise<boolean>;
  /** Changes nothing if there is a job with this id already. */
  insertJob(job: NotificationJob): Promise<void>;
  /**
   * Counts one more attempt, and keeps the job from other servers until `heldUntilMs`. Returns false if the job has ended, or its number of
   * attempts is not `attempts`.
   */
  holdJob(id: string, attempts: number, heldUntilMs: number): Promise<boolean>;
  /**
   * Delays the job, and lets other servers work on it.
   * @param attempts the number to store. After a failed attempt: the number that `holdJob` stored. Without an attempt: the number from
   *                 before `holdJob`
   */
  postponeJob(id: string, dueAtMs: number, attempts: number): Promise<void>;
  endJob(id: string, atMs: number, result: string): Promise<void>;
  /** Deletes the jobs that ended before this time. */
  forgetJobs(endedBeforeMs: number): Promise<void>;
}

/** The condition of the index and of the query of `notableEvents`. The database uses the index only if both texts are equal. */
export const NOTABLE_EVENT = "kind in ('grant.requested', 'grant.approved', 'grant.denied')";
