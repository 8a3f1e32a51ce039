/** Reads those requests of an agent that go through the gate. */

import { isAbsolute } from 'node:path';
import { type Fault, fault } from '../core/fault.ts';
import { failed, type Result, success } from '../core/result.ts';
import { visibleLine } from '../core/text/visible-text.ts';
import type { WantedOperation } from '../gate/file-operation.ts';
import { isJsonRecord, type JsonRecord } from '../rpc/messages.ts';
import { CREATE_TERMINAL, READ_FILE, REQUEST_PERMISSION, WRITE_FILE } from './methods.ts';
import { type PermissionOptions, readPermissionOptions, shownCall } from './permission.ts';
import type { ToolCalls } from './tool-calls.ts';

/** @property arguments the members of the call, as the approver sees them */
export interface AskedCall {
  readonly tool: string;
  readonly arguments: JsonRecord;
}

/**
 * - `permission`: the agent acts by itself, after the answer; `toolCallId` names the call in the editor
 * - `terminal`, `file`: the editor acts; `sent` has the params for the editor: only members that the gate has read
 */
export type GatedRequest = { readonly sessionId: string } & (
  | {
      readonly kind: 'permission';
      readonly call: AskedCall;
      readonly options: PermissionOptions;
      readonly toolCallId: string;
    }
  | { readonly kind: 'terminal'; readonly call: AskedCall; readonly sent: JsonRecord }
  | { readonly kind: 'file'; readonly operation: WantedOperation; readonly sent: JsonRecord }
);

const MEMBERS: Readonly<Record<string, readonly string[]>> = {
  [REQUEST_PERMISSION]: ['sessionId', 'toolCall', 'options', '_meta'],
  [CREATE_TERMINAL]: ['sessionId', 'command', 'args', 'env', 'cwd', 'outputByteLimit', '_meta'],
  [WRITE_FILE]: ['sessionId', 'path', 'content', '_meta'],
  [READ_FILE]: ['sessionId', 'path', 'line', 'limit', '_meta'],
};

/**
 * Refuses unknown members of `params`: the approver would not see these members. Leaves out `_meta`. Accepts unknown members of a
 * `toolCall`: the approver sees these members (`shownCall`). Refuses a method that does not go through the gate.
 * @param calls the tool calls that the agent has announced
 */
export function readGatedRequest(
  method: string,
  params: JsonRecord | null,
  calls: ToolCalls,
): Result<GatedRequest, Fault> {
  if (params === null) return failed(fault('the params are missing'));
  const unknown = Object.keys(params).find((name) => !MEMBERS[method]?.includes(name));
  if (unknown !== undefined) return failed(fault(`${method} has no member ${visibleLine(unknown.slice(0, 80))}`));
  const { sessionId } = params;
  if (typeof sessionId !== 'string') return failed(fault('the sessionId is not a string'));
  switch (method) {
    case REQUEST_PERMISSION:
      return readPermission(sessionId, params, calls);
    case CREATE_TERMINAL:
      return readTerminal(sessionId, params);
    default:
      return readFile(method, sessionId, params);
  }
}

function readPermission(sessionId: string, params: JsonRecord, calls: ToolCalls): Result<GatedRequest, Fault> {
  const { toolCall, options } = params;
  if (!isJsonRecord(toolCall) || typeof toolCall['toolCallId'] !== 'string')
    return failed(fault('the request names no tool call'));
  const read = readPermissionOptions(options);
  if (!read.ok) return read;
  const call = shownCall(calls.withKnownMembers(sessionId, toolCall));
  return success({ kind: 'permission', sessionId, call, options: read.value, toolCallId: toolCall['toolCallId'] });
}

function readTerminal(sessionId: string, params: JsonRecord): Result<GatedRequest, Fault> {
  const { command, args = null, env = null, cwd = null, outputByteLimit = null } = params;
  if (typeof command !== 'string' || command === '') return failed(fault('the command is empty or not a string'));
  if (args !== null && !(Array.isArray(args) && args.every((word) => typeof word === 'string')))
    return failed(fault('the args are not a list of texts'));
  if (cwd !== null && !(typeof cwd === 'string' && isAbsolute(cwd)))
    return failed(fault('the cwd is no absolute path'));
  if (outputByteLimit !== null && !Number.isSafeInteger(outputByteLimit))
    return failed(fault('the outputByteLimit is no whole number'));
  const variables = readVariables(env);
  if (variables === null) return failed(fault('the env is not a list of names and values'));
  const wanted = {
    command,
    ...(args === null ? {} : { args }),
    ...(variables.length === 0 ? {} : { env: variables }),
    ...(cwd === null ? {} : { cwd }),
  };
  const sent = { sessionId, ...wanted, ...(outputByteLimit === null ? {} : { outputByteLimit }) };
  return success({ kind: 'terminal', sessionId, call: { tool: CREATE_TERMINAL, arguments: wanted }, sent });
}

function readVariables(env: unknown): readonly { readonly name: string; readonly value: string }[] | null {
  if (env === null) return [];
  if (!Array.isArray(env)) return null;
  const variables: { readonly name: string; readonly value: string }[] = [];
  for (const each of env as readonly unknown[]) {
    if (!isJsonRecord(each) || typeof each['name'] !== 'string' || typeof each['value'] !== 'string') return null;
    variables.push({ name: each['name'], value: each['value'] });
  }
  return variables;
}

function readFile(method: string, sessionId: string, params: JsonRecord): Result<GatedRequest, Fault> {
  const { path, content, line = null, limit = null } = params;
  if (typeof path !== 'string' || !isAbsolute(path)) return failed(fault('the path is not absolute'));
  if (method === WRITE_FILE) {
    if (typeof content !== 'string' || /\p{Surrogate}/u.test(content))
      return failed(fault('the content is not a string of valid Unicode'));
    const operation = { verb: 'write', path, content } as const;
    return success({ kind: 'file', sessionId, operation, sent: { sessionId, path, content } });
  }
  for (const number of [line, limit])
    if (number !== null && !Number.isSafeInteger(number)) return failed(fault('line or limit is no whole number'));
  const lines = { ...(line === null ? {} : { line }), ...(limit === null ? {} : { limit }) };
  return success({ kind: 'file', sessionId, operation: { verb: 'read', path }, sent: { sessionId, path, ...lines } });
}
