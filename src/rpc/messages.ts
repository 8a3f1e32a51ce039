/**
 * Reads and writes messages of JSON-RPC 2.0. A relay and the receiver must not read a message differently. So a relay refuses unknown
 * members, and writes a new message from what it has read. It does not pass on the received bytes.
 */

import type { Fault } from '../core/fault.ts';
import { failed, type Result, success } from '../core/result.ts';
import { visibleText } from '../core/text/visible-text.ts';
import { decodeUtf8 } from '../platform/utf8.ts';

export type JsonRecord = Readonly<Record<string, unknown>>;
export type RpcId = string | number;

/** `body` has one member: `result` or `error`. */
export type RpcMessage =
  | { readonly kind: 'request'; readonly id: RpcId; readonly method: string; readonly params: JsonRecord | null }
  | { readonly kind: 'notification'; readonly method: string; readonly params: JsonRecord | null }
  | { readonly kind: 'response'; readonly id: RpcId; readonly body: JsonRecord };

/** @property id the id for the error answer; null: the faulty message has no valid id, or is no call */
export interface RpcFault extends Fault {
  readonly id: RpcId | null;
  readonly code: number;
}

export const PARSE_ERROR = -32_700;
export const INVALID_REQUEST = -32_600;
export const METHOD_NOT_FOUND = -32_601;
export const INVALID_PARAMS = -32_602;
export const INTERNAL_ERROR = -32_603;

/** Makes the set of the methods that a relay carries in one direction. */
export const methodSet = (...names: readonly string[]): ReadonlySet<string> => new Set(names);

const MEMBERS: ReadonlySet<string> = new Set(['jsonrpc', 'id', 'method', 'params', 'result', 'error']);

/** Reads one line. A failure has the error code of JSON-RPC. */
export function readMessage(line: Buffer): Result<RpcMessage, RpcFault> {
  const text = decodeUtf8(line);
  if (text === null) return wrong(null, PARSE_ERROR, 'it is not UTF-8');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return wrong(null, PARSE_ERROR, 'it is not JSON');
  }
  if (Array.isArray(value)) return wrong(null, INVALID_REQUEST, 'it is a batch; send one message per line');
  if (!isJsonRecord(value)) return wrong(null, INVALID_REQUEST, 'it is not an object');
  const isCall = Object.hasOwn(value, 'method');
  const id = isId(value['id']) ? value['id'] : null;
  const faultId = isCall ? id : null; // the sender of an answer may use the same id for a request of its own
  const stranger = Object.keys(value).find((name) => !MEMBERS.has(name));
  if (stranger !== undefined)
    return wrong(faultId, INVALID_REQUEST, `it has a member that JSON-RPC does not have: ${stranger.slice(0, 80)}`);
  if (value['jsonrpc'] !== '2.0') return wrong(faultId, INVALID_REQUEST, 'it is not JSON-RPC 2.0');
  if (Object.hasOwn(value, 'id') && id === null)
    return wrong(null, INVALID_REQUEST, 'its id is neither a string nor an integer');
  return isCall ? readCall(value, id) : readResponse(value, id);
}

function readCall(value: JsonRecord, id: RpcId | null): Result<RpcMessage, RpcFault> {
  const { method, params } = value;
  if (typeof method !== 'string') return wrong(id, INVALID_REQUEST, 'its method is not a string');
  if (Object.hasOwn(value, 'result') || Object.hasOwn(value, 'error'))
    return wrong(id, INVALID_REQUEST, 'it is a call and an answer at once');
  if (params !== undefined && !isJsonRecord(params)) return wrong(id, INVALID_PARAMS, 'its params are not an object');
  const given = params ?? null;
  return success(
    id === null ? { kind: 'notification', method, params: given } : { kind: 'request', id, method, params: given },
  );
}

function readResponse(value: JsonRecord, id: RpcId | null): Result<RpcMessage, RpcFault> {
  const hasResult = Object.hasOwn(value, 'result');
  if (id === null || hasResult === Object.hasOwn(value, 'error') || Object.hasOwn(value, 'params'))
    return wrong(null, INVALID_REQUEST, 'it is neither a call nor an answer');
  return success({ kind: 'response', id, body: hasResult ? { result: value['result'] } : { error: value['error'] } });
}

export const isJsonRecord = (value: unknown): value is JsonRecord =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isId = (value: unknown): value is RpcId => typeof value === 'string' || Number.isSafeInteger(value);

const wrong = (id: RpcId | null, code: number, message: string): Result<never, RpcFault> =>
  failed({ id, code, message });

/** Returns the message as a line with its line feed; null if the message is nested too deep. */
export function writeMessage(message: RpcMessage): string | null {
  switch (message.kind) {
    case 'request':
      return line({ id: message.id, method: message.method, ...paramsOf(message.params) });
    case 'notification':
      return line({ method: message.method, ...paramsOf(message.params) });
    case 'response':
      return line({ id: message.id, ...message.body });
  }
}

const paramsOf = (params: JsonRecord | null): JsonRecord => (params === null ? {} : { params });

/** Returns null if the members are nested too deep for JSON.stringify. */
function line(members: JsonRecord): string | null {
  try {
    return `${JSON.stringify({ jsonrpc: '2.0', ...members })}\n`;
  } catch {
    return null;
  }
}

export const resultFor = (id: RpcId, result: JsonRecord): RpcMessage => ({ kind: 'response', id, body: { result } });

/** @param message may quote the other side's text; this function makes the message safe for a terminal */
export const errorFor = (id: RpcId, code: number, message: string): RpcMessage => ({
  kind: 'response',
  id,
  body: { error: { code, message: visibleText(message) } },
});

/** Returns the line of an error answer without an id. */
export const errorWithoutId = (code: number, message: string): string =>
  `${JSON.stringify({ jsonrpc: '2.0', id: null, error: { code, message: visibleText(message) } })}\n`;
