/** Follows event streams of the server (server-sent events, WHATWG HTML): the stream of one grant, or any other stream. */
import { createParser } from 'eventsource-parser';
import type { Failure } from '../core/failure.ts';
import type { GrantView } from '../core/wire/grant-view.ts';
import { readErrorCode, readGrant } from './answers.ts';
import { failureOfAnswer, type GrantClient } from './client.ts';
import { foreignAnswer, malformed, noAnswer, openRequest, wholeAnswer } from './http.ts';
import { obtainToken } from './token.ts';

/** After this time without data, the connection counts as broken. The server sends something at least every 15 s. */
const SILENCE_MS = 40_000;

export type StreamEnd =
  /** The server has ended the stream, the caller has got enough, or the signal has aborted the open stream. */
  | { readonly kind: 'ended' }
  /** The caller can try again until its deadline. Also returned if `signal` aborted before the server accepted the stream. */
  | { readonly kind: 'broken'; readonly failure: Failure }
  /** The caller can try again with a new token. */
  | { readonly kind: 'expired'; readonly failure: Failure }
  /** The caller need not try again: the stream would end the same way. */
  | { readonly kind: 'refused'; readonly failure: Failure };

/**
 * Calls `onGrant` with the present state of the grant and with each later state, until `onGrant` returns `enough`, the stream ends or
 * `signal` aborts.
 * @param mustBeFresh true: the server refused the stored token, so a new token is obtained
 */
export function followGrant(
  client: GrantClient,
  grantId: string,
  mustBeFresh: boolean,
  onGrant: (grant: GrantView) => 'more' | 'enough',
  signal: AbortSignal,
): Promise<StreamEnd> {
  const path = `/v1/grants/${encodeURIComponent(grantId)}/events`;
  return followEvents(
    client,
    { path, mustBeFresh, signal },
    (event, data) => {
      if (event !== 'grant') return 'more';
      const grant = readGrant(data);
      return grant === null || grant.id !== grantId ? 'malformed' : onGrant(grant);
    },
    () => undefined,
  );
}

/** @property mustBeFresh as for `followGrant` */
interface Stream {
  readonly path: string;
  readonly mustBeFresh: boolean;
  readonly signal: AbortSignal;
}

/**
 * Follows any event stream of the server.
 * @param onEvent gets the name of the event (empty: the event has no name) and the parsed JSON (null: the data is not JSON). Returns
 *                `enough` to end the stream, `malformed` to end the stream as broken
 * @param onOpen  called once, when the server accepts the stream
 */
export async function followEvents(
  client: GrantClient,
  { path, mustBeFresh, signal }: Stream,
  onEvent: (event: string, data: unknown) => 'more' | 'enough' | 'malformed',
  onOpen: () => void,
): Promise<StreamEnd> {
  const token = await obtainToken(client, mustBeFresh);
  if (!token.ok) return token.failure.code === 'configuration' ? refused(token.failure) : broken(token.failure);
  const opened = await openRequest(
    client.server,
    { method: 'GET', path, token: token.value },
    'text/event-stream',
    signal,
  );
  if (!opened.ok) return broken(opened.failure);
  const { response, request } = opened.value;
  const status = response.statusCode ?? 0;
  const foreign = foreignAnswer(client.server, response);
  if (foreign !== null) {
    request.destroy(); // the body of the answer is not read
    return broken(foreign);
  }
  if (status !== 200) {
    const answer = await wholeAnswer(client.server, opened.value);
    if (!answer.ok) return broken(answer.failure);
    if (status === 401) return { kind: 'expired', failure: noAnswer(client.server, 'the token expired') };
    if (status >= 500) return broken(noAnswer(client.server, `HTTP ${status}`));
    if (readErrorCode(answer.value.body) === null) return broken(malformed(client.server, `HTTP ${status}`));
    return refused(failureOfAnswer(client, answer.value));
  }
  onOpen();
  return new Promise((resolve) => {
    let silence = setTimeout(() => request.destroy(), SILENCE_MS);
    let isSettled = false;
    const settle = (end: StreamEnd) => {
      isSettled = true;
      clearTimeout(silence);
      request.destroy();
      resolve(end);
    };
    signal.addEventListener('abort', () => settle({ kind: 'ended' }), { once: true });
    if (signal.aborted || response.destroyed) return settle({ kind: 'ended' });
    const parser = createParser({
      onEvent: (event) => {
        if (isSettled) return; // a chunk can have more events after the event that ended the stream
        const next = onEvent(event.event ?? '', parseJson(event.data));
        if (next === 'malformed') settle(broken(malformed(client.server, 'an event of unknown shape')));
        else if (next === 'enough') settle({ kind: 'ended' });
      },
    });
    response.setEncoding('utf8');
    response.on('data', (chunk: string) => {
      clearTimeout(silence);
      silence = setTimeout(() => request.destroy(), SILENCE_MS);
      parser.feed(chunk);
    });
    response.on('end', () => settle({ kind: 'ended' }));
    response.on('error', () => settle(broken(noAnswer(client.server, 'the event stream broke'))));
    response.on('close', () => settle(broken(noAnswer(client.server, 'the event stream broke'))));
  });
}

const broken = (failure: Failure): StreamEnd => ({ kind: 'broken', failure });
const refused = (failure: Failure): StreamEnd => ({ kind: 'refused', failure });

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}
