/**
 * Manages open event streams: limits their number, and ends a stream whose caller may no longer read. The routes of one source file share
 * one manager, and the limits count only the streams of that manager.
 */
import type { FastifyReply } from 'fastify';
import { failed, type Result, success } from '../../core/result.ts';
import { Places } from '../budgets.ts';
import type { Caller } from '../identity/authentication.ts';
import { MAX_STREAMS, MAX_STREAMS_PER_SUBJECT } from '../limits.ts';
import { type Refusal, refusal } from '../refusal.ts';
import type { ServerPorts } from '../server-ports.ts';
import type { ApiRoutes } from './api-route.ts';
import { EventStream } from './event-stream.ts';

/**
 * @property takePlace takes a place, and returns the function that gives the place up; fails if there are too many streams
 * @property start     begins the answer; calls `onEnd` once, when the server or the reader ends the stream. `onEnd` must give up the place
 */
export interface OpenStreams {
  readonly takePlace: (caller: Caller) => Result<() => void, Refusal>;
  readonly start: (reply: FastifyReply, caller: Caller, onEnd: () => void) => EventStream;
}

const TOO_MANY = {
  own: refusal('server.too_many', 'this caller has too many open event streams; close one of them'),
  all: refusal('server.busy', 'the server has too many open event streams; try again later'),
};

/** Makes a manager, for the routes that the calling file defines. */
export function openStreams(...[app, parts]: Parameters<ApiRoutes>): OpenStreams {
  const open = new Set<EventStream>();
  const places = new Places({ ofOne: MAX_STREAMS_PER_SUBJECT, ofAll: MAX_STREAMS });
  parts.feed.watchSessionEnds({
    look: () => {
      for (const stream of [...open]) stream.check();
    },
    hasReaders: () => open.size > 0,
  });
  app.addHook('preClose', async () => {
    for (const stream of [...open]) stream.finish();
  });
  return {
    takePlace({ subject }) {
      const place = places.take(subject.id);
      return typeof place === 'string' ? failed(TOO_MANY[place]) : success(place);
    },
    start(reply, caller, onEnd) {
      const end = () => {
        onEnd();
        open.delete(stream);
      };
      const stream = new EventStream(reply, end, () => mayStillRead(parts, caller));
      open.add(stream);
      return stream;
    },
  };
}

/**
 * Whether the caller's token or browser session is still valid. If not, the stream ends, and the reader has to sign in again. Returns
 * true if the database does not answer. The stream checks again after `STREAM_BEAT_MS`.
 */
async function mayStillRead({ store, clock }: ServerPorts, caller: Caller): Promise<boolean> {
  const nowMs = clock.nowMs();
  const { via, secretHash } = caller;
  const holder = await store.read(
    async (rows): Promise<object | undefined> =>
      via === 'token'
        ? (await rows.tokenHolders([secretHash], nowMs)).get(secretHash)
        : rows.sessionHolder(secretHash, nowMs),
  );
  return !holder.ok || holder.value !== undefined;
}
