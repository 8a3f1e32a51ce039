/**
 * Event streams, so that callers need not poll. One stream shows the changes of one grant to a caller that may see the grant. The other
 * stream is for readers, and shows every change.
 */
import { type Grant, isFinalState, stateAt } from '../../core/grant/grant.ts';
import { type Result, success } from '../../core/result.ts';
import { EventsQuerySchema } from '../../core/wire/audit-event.ts';
import { IdParams } from '../../core/wire/schema-parts.ts';
import { listedGrant } from '../../store/listed-request.ts';
import { type FeedChange, policyIdOf, requesterIdOf, requesterState } from '../grants/grant-feed.ts';
import { grantView, pausedMember } from '../grants/grant-view.ts';
import { policyView } from '../grants/policy-view.ts';
import { visibleGrant } from '../grants/visible-grant.ts';
import type { Caller } from '../identity/authentication.ts';
import { enrolmentView } from '../identity/enrolment-view.ts';
import type { Refusal } from '../refusal.ts';
import { read } from '../server-ports.ts';
import { type ApiRoutes, callerOf, route } from './api-route.ts';
import { type OpenStreams, openStreams } from './open-streams.ts';
import { sendResult } from './reply.ts';

/** The maximum number of missed events that a reader gets after reconnecting. A reader that missed more has to read everything again. */
const MAX_REPLAYED = 500;

export const streamRoutes: ApiRoutes = (app, parts) => {
  const streams = openStreams(app, parts);

  const view = (grant: Grant) => grantView(grant, parts.clock.nowMs(), parts.publicUrl());

  app.get<{ Params: { id: string } }>(
    '/v1/grants/:id/events',
    route('authenticated', {
      summary: 'The state of one grant, now and at each change, and each pause of its requester',
      params: IdParams,
    }),
    async (request, reply) => {
      const caller = callerOf(request);
      const { id } = request.params;
      const subscribed = await subscribe(streams, caller, (watch) => {
        watch((onChange) => parts.feed.watchGrant(id, onChange));
        return read(parts, async (rows) => {
          const grant = await visibleGrant(rows, id, caller.subject);
          if (!grant.ok) return grant;
          const { requesterId } = grant.value;
          watch((onChange) => parts.feed.watchRequester(requesterId, onChange));
          return success({ grant: grant.value, isPaused: (await rows.pause(requesterId)) !== undefined });
        });
      });
      if (!subscribed.ok) return sendResult(parts, reply, subscribed);
      const { found, leave, follow } = subscribed.value;
      const first = found.grant;
      let { grant: now, isPaused } = found;
      const stream = streams.start(reply, caller, () => {
        leave();
        clearTimeout(expiry);
      });
      const expiry = setTimeout(
        () => stream.dismiss(),
        Math.min(caller.expiresAtMs - parts.clock.nowMs(), 2 ** 31 - 1),
      );
      expiry.unref();
      let last = '';
      const send = () => {
        const state = stateAt(now, parts.clock.nowMs());
        const isOver = isFinalState(state);
        const shown = { ...view(now), ...pausedMember(isPaused && !isOver) };
        const text = `${now.version} ${state} ${shown.paused}`;
        if (text === last) return;
        last = text;
        stream.send(id, 'grant', null, shown);
        if (isOver) stream.finish();
      };
      parts.feed.expect(first);
      send();
      follow((change) => {
        if (change.kind === 'grant' && change.grant.version >= first.version) now = change.grant;
        if (change.kind === 'requester') isPaused = change.requester.isPaused;
        send();
      });
      return reply;
    },
  );

  app.get<{ Querystring: { after?: string } }>(
    '/v1/events',
    route('reader', {
      summary:
        'Every change of every grant, enrolment and policy, and each pause of a requester, from now, or after Last-Event-ID or the event `after`',
      querystring: EventsQuerySchema,
    }),
    async (request, reply) => {
      const caller = callerOf(request);
      const subscribed = await subscribe(streams, caller, (watch) => {
        watch((onChange) => parts.feed.watchEverything(onChange));
        return missedSince(request.headers['last-event-id'] ?? request.query.after);
      });
      if (!subscribed.ok) return sendResult(parts, reply, subscribed);
      const { found: missed, leave, follow } = subscribed.value;
      const stream = streams.start(reply, caller, leave);
      const show = (change: FeedChange): void => {
        if (change.kind === 'grant') stream.send(change.grant.id, 'grant', change.seq, view(listedGrant(change.grant)));
        else if (change.kind === 'policy')
          stream.send(change.policy.id, 'policy', change.seq, policyView(change.policy));
        else if (change.kind === 'requester')
          stream.send(change.requester.id, 'requester', change.seq, change.requester);
        else if (change.kind === 'cut') stream.send('cut', 'cut', change.seq, { upTo: change.seq });
        else
          stream.send(
            change.enrolment.id,
            'enrolment',
            change.seq,
            enrolmentView(parts, change.enrolment, parts.clock.nowMs(), null),
          );
      };
      for (const change of missed) show(change);
      follow(show);
      return reply;
    },
  );

  /**
   * Returns the present state of each grant, enrolment, policy and requester that changed after the event with the number `lastEventId`.
   * Returns an empty list if `lastEventId` is absent or is not a number. Returns one `cut` (the reader has to read everything again) in
   * these cases:
   * - some of the events after this number were removed
   * - there are too many such events
   * - the number is greater than the number of the last event
   */
  async function missedSince(lastEventId: string | string[] | undefined) {
    const after = typeof lastEventId === 'string' && /^\d{1,15}$/.test(lastEventId) ? Number(lastEventId) : null;
    return read(parts, async (rows): Promise<Result<readonly FeedChange[], never>> => {
      if (after === null) return success([]);
      const seq = await rows.lastSeq(); // read first, so that a change during these reads has a higher number than the `cut`
      if (after > seq) return success([{ kind: 'cut' as const, seq }]); // the database was restored from an older backup
      const removed = await rows.retention.removedRows();
      if (removed.some(({ lastSeq }) => lastSeq > after)) return success([{ kind: 'cut' as const, seq }]);
      const events = await rows.events(after, MAX_REPLAYED + 1);
      if (events.length > MAX_REPLAYED) return success([{ kind: 'cut' as const, seq }]);
      const lastSeqs = new Map(
        events.map((event) => [
          event.grantId ?? event.enrolmentId ?? policyIdOf(event) ?? requesterIdOf(event),
          event.seq,
        ]),
      );
      const requesters = new Set(events.map(requesterIdOf));
      const changes: FeedChange[] = [];
      const inOrder = [...lastSeqs].sort(([, a], [, b]) => a - b); // in order: a reader continues after the last number that it got
      for (const [id, seq] of inOrder) {
        if (id === null) continue;
        if (requesters.has(id)) changes.push({ kind: 'requester', seq, requester: await requesterState(rows, id) });
        const grant = await rows.grant(id);
        const enrolment = grant === undefined ? await rows.enrolment(id) : undefined;
        if (grant !== undefined) changes.push({ kind: 'grant', seq, grant: listedGrant(grant) });
        if (enrolment !== undefined) changes.push({ kind: 'enrolment', seq, enrolment });
        const policy = id.startsWith('p_') ? await rows.policy(id) : undefined;
        if (policy !== undefined) changes.push({ kind: 'policy', seq, policy });
      }
      return success(changes);
    });
  }
};

type OnChange = (change: FeedChange) => void;

/**
 * @property leave  ends the subscriptions, and gives up the place
 * @property follow passes on the changes that came since the subscriptions began, and from then on each change at once
 */
interface Subscribed<T> {
  readonly found: T;
  readonly leave: () => void;
  readonly follow: (onChange: OnChange) => void;
}

/**
 * Takes a place for a stream, and calls `readFirst`, which subscribes with `watch` before it reads, so that no change is missed. If there is
 * no place, or if `readFirst` fails, no subscription and no place remains.
 */
async function subscribe<T>(
  streams: OpenStreams,
  caller: Caller,
  readFirst: (watch: (begin: (onChange: OnChange) => () => void) => void) => Promise<Result<T, Refusal>>,
): Promise<Result<Subscribed<T>, Refusal>> {
  const place = streams.takePlace(caller);
  if (!place.ok) return place;
  const early: FeedChange[] = [];
  let onChange: OnChange = (change) => void early.push(change);
  const leaving = [place.value];
  const leave = () => {
    for (const each of leaving) each();
  };
  const found = await readFirst((begin) => void leaving.push(begin((change) => onChange(change))));
  if (!found.ok) {
    leave();
    return found;
  }
  const follow = (next: OnChange) => {
    onChange = next;
    for (const change of early) next(change);
  };
  return success({ found: found.value, leave, follow });
}
