/**
 * The protocol on a session's private socket, in frames (`src/platform/frames.ts`). The host is the process that has the session's
 * terminal.
 *
 *   'J' one JSON object (UTF-8)
 *       asked     {"id":1,"request":"describe","params":{…}}         from the client
 *       answered  {"id":1,"ok":true,"value":…} or {"id":1,"ok":false,"failure":{"code","message","advice"?,"detail"?}}
 *       event     {"event":"ended","status":0,"signal":0}  from the host, to every viewer; the event `deliver`: only to the agent's plugin
 *   'L' a request from one of our C programs: NUL-terminated strings KEY=VALUE in any order; one KEY is `request`.
 *       The host answers with frames 'o' (text for standard output, if any) and 'e' (text for standard error, if any). The last
 *       frame is 'q' (the exit status, one byte). The requests are `report` and `deliver`, with these other keys:
 *       report    harness, event (optional), fields (the input of the hook: JSON or empty)  (`bin/session-report.h`)
 *       deliver   mode, session, text, via (optional), json=yes (optional)  (`bin/session-send.h`)
 *   'O' bytes for the screen, from the host to every viewer that did not ask for the rendered screen
 *   'K' bytes typed, from a client that is attached
 *
 * If a frame is malformed, of another type or too long, the receiver closes the connection. The host also closes a connection if a frame
 * takes too long (`FIRST_FRAME_MS`, `WHOLE_FRAME_MS`).
 */
import { adviceText, EXIT_STATUS, type Failure } from '../core/failure.ts';
import type { Result } from '../core/result.ts';
import { failed, success } from '../core/result.ts';
import { BadFrame, type FrameLimits } from '../platform/frame-decoder.ts';
import { encodeFrame, takeVariables } from '../platform/frames.ts';

export const SESSION_LIMITS: FrameLimits = { J: 8 << 20, L: 8 << 20, O: 1 << 20, K: 1 << 16 };

/** The host closes a connection that has sent no complete frame after this time. */
export const FIRST_FRAME_MS = 5_000;
/** The host closes a connection if a later frame is incomplete for this long. */
export const WHOLE_FRAME_MS = 10_000;

/**
 * @property id the client chooses the id, and the answer repeats the id. For a request of a C program, `id` is 1, and the answer has no id
 */
export interface RequestFrame {
  readonly id: number;
  readonly request: string;
  readonly params: Readonly<Record<string, unknown>>;
}

export type EventFrame = { readonly event: string } & Readonly<Record<string, unknown>>;

export const jsonFrame = (value: unknown): Buffer => encodeFrame('J', JSON.stringify(value));
export const answeredFrame = (id: number, result: Result<unknown, Failure>): Buffer =>
  jsonFrame(
    result.ok
      ? { id, ok: true, value: result.value ?? null }
      : { id, ok: false, failure: failureOnWire(result.failure) },
  );

/** On the wire, advice and consequence are one text, `advice`. */
function failureOnWire({ code, message, detail, ...more }: Failure): Failure {
  const advice = adviceText({ code, message, ...more });
  return { code, message, ...(advice === undefined ? {} : { advice }), ...(detail === undefined ? {} : { detail }) };
}

/** Throws BadFrame if the payload is not one JSON object. */
export function parseJson(payload: Buffer): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(payload.toString('utf8'));
  } catch {
    throw new BadFrame('not JSON');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new BadFrame('not a JSON object');
  return value as Record<string, unknown>;
}

/** Throws BadFrame if the payload is not a request. */
export function readRequestFrame(payload: Buffer): RequestFrame {
  const { id, request, params = {} } = parseJson(payload);
  if (typeof id !== 'number' || !Number.isSafeInteger(id) || typeof request !== 'string')
    throw new BadFrame('no request');
  if (typeof params !== 'object' || params === null || Array.isArray(params)) throw new BadFrame('no params');
  return { id, request, params: params as Record<string, unknown> };
}

/** Reads a request of our C programs. Throws BadFrame for any other payload, or if `fields` is neither empty nor a JSON object. */
export function readListFrame(payload: Buffer): RequestFrame {
  const values = takeVariables(payload);
  const text = (key: string): string | undefined => values.get(key)?.toString('utf8');
  const needed = (key: string): string => text(key) ?? raiseMissing(key);
  const request = text('request');
  if (request === 'report') {
    const input = values.get('fields') ?? raiseMissing('fields');
    const fields = input.length === 0 ? {} : parseJson(input);
    return { id: 1, request, params: { harness: needed('harness'), event: text('event') ?? null, fields } };
  }
  if (request !== 'deliver') throw new BadFrame('no request');
  const via = text('via');
  const isJson = text('json') === 'yes';
  const params = { mode: needed('mode'), session: needed('session'), text: needed('text'), isJson };
  return { id: 1, request, params: via === undefined ? params : { ...params, via } };
}

function raiseMissing(key: string): never {
  throw new BadFrame(`a request without ${key}`);
}

/** Returns the result in an answer; throws BadFrame if the frame is not an answer. */
export function readAnswered(frame: Readonly<Record<string, unknown>>): Result<unknown, Failure> {
  if (frame['ok'] === true) return success(frame['value']);
  const sentFailure = frame['failure'];
  if (frame['ok'] !== false || typeof sentFailure !== 'object' || sentFailure === null) throw new BadFrame('no answer');
  const { code, message, advice, detail } = sentFailure as Record<string, unknown>;
  if (typeof code !== 'string' || !Object.hasOwn(EXIT_STATUS, code) || typeof message !== 'string')
    throw new BadFrame('no failure');
  return failed({
    code: code as Failure['code'],
    message,
    ...(typeof advice === 'string' ? { advice } : {}),
    ...(typeof detail === 'string' ? { detail } : {}),
  });
}
