/**
 * Relays between a client and a server of the Model Context Protocol. The relay parses each message, and writes the message again from
 * the parsed value. A `tools/call` goes to the server only if the gate permits it. An answer of the server goes to the client only if the
 * answer belongs to a request that the server got.
 */

import type { Readable, Writable } from 'node:stream';
import { type Fault, fault } from '../../core/fault.ts';
import { failed, type Result, success } from '../../core/result.ts';
import { visibleLine } from '../../core/text/visible-text.ts';
import type { WantedCall } from '../../gate/tool-request.ts';
import { limitedComplaints } from '../../rpc/complaints.ts';
import { linesOf, writeLine } from '../../rpc/lines.ts';
import {
  errorFor,
  INTERNAL_ERROR,
  INVALID_PARAMS,
  INVALID_REQUEST,
  isJsonRecord,
  type JsonRecord,
  METHOD_NOT_FOUND,
  PARSE_ERROR,
  type RpcId,
  type RpcMessage,
  readMessage,
  resultFor,
  writeMessage,
} from '../../rpc/messages.ts';
import { takeMessages } from '../../rpc/read-messages.ts';
import type { Conversation } from '../conversation.ts';
import { Declarations } from './declarations.ts';
import { CLIENT_NOTIFICATIONS, CLIENT_REQUESTS, SAMPLING, SERVER_NOTIFICATIONS, SERVER_REQUESTS } from './methods.ts';
import { ProgressNumbers } from './progress-numbers.ts';

/** Asks the gate about a call. If the gate does not permit the call, the message of the fault is the whole text for the model. */
type AskGate = (wanted: WantedCall, talk: Conversation) => Promise<Result<{ readonly grantId: string | null }, Fault>>;

/**
 * @property askGate  called for each `tools/call`
 * @property onAnswer called when the server has answered a `tools/call`; `grantId` is null if the call needed no grant
 * @property isSamplingAllowed whether the server is allowed to use the client's model (`sampling/createMessage`)
 * @property complain takes one line for standard error; called at most 100 times
 */
export interface RelayParts {
  readonly client: { readonly input: Readable; readonly output: Writable };
  readonly server: { readonly input: Writable; readonly output: Readable };
  readonly askGate: AskGate;
  readonly onAnswer: (grantId: string | null, end: 'answered' | 'error') => void;
  readonly isSamplingAllowed: boolean;
  readonly complain: (line: string) => void;
}

const TOOLS_LIST = 'tools/list';
/** The most calls that can wait at the gate at the same time. */
const MAX_AT_GATE = 64;

/**
 * A request that went to the server.
 * @property grantId the grant that covers a `tools/call`; null: the call needs no grant; absent for other methods
 */
interface Forwarded {
  readonly method: string;
  readonly grantId?: string | null;
}

/**
 * The answer to a call of a tool whose declaration `canonicalJson` cannot write. Each list of the tools gives this declaration a new random
 * digest. So no approval can name the declaration, and an approval of the call would not cover the call after the next list. Therefore
 * the call is refused.
 */
const UNREADABLE_DECLARATION = {
  content: [
    {
      type: 'text',
      text: 'ape-shell: NOT RUN, the server has not seen it: refused: the declaration of this tool is nested too deep, or has a number that is too large, so no approval can name it; use another tool\n',
    },
  ],
  isError: true,
};

export class Relay {
  readonly #parts: RelayParts;
  readonly #declarations = new Declarations();
  readonly #progress = new ProgressNumbers();
  /** Requests that the server has not answered. The keys are ids as text, because some readers of JSON treat `1` and `"1"` as the same. */
  readonly #atServer = new Map<string, Forwarded & { readonly id: RpcId }>();
  /** Calls that wait at the gate. */
  readonly #atGate = new Map<string, { readonly id: RpcId; readonly cancel: AbortController }>();
  /**
   * The newest request for the first page of the tools, answered or not. Null before the first request, or if the client cancelled the
   * newest request.
   */
  #newList: Forwarded | null = null;
  /** Requests of the server that the client has not answered. */
  readonly #atClient = new Set<string>();
  readonly #complain: (text: string) => void;
  #isOver = false;

  constructor(parts: RelayParts) {
    this.#parts = parts;
    this.#complain = limitedComplaints(parts.complain);
  }

  /** Relays messages of the client until the client closes its end. */
  fromClient(): Promise<void> {
    return takeMessages(this.#parts.client, (message) => this.#clientMessage(message), this.#complain);
  }

  /**
   * Relays messages of the server until the server closes its output or sends a line that is too long. Returns a text that says why the
   * relaying ended.
   */
  async fromServer(): Promise<string> {
    for await (const line of linesOf(this.#parts.server.output)) {
      if (line === 'too-long') return 'it sent a message that is too long';
      const read = readMessage(line);
      if (read.ok) await this.#serverMessage(read.value);
      else this.#complain(`dropped a line of the server: ${read.failure.message}`);
    }
    return 'it closed its output';
  }

  /** To be called when the server has ended. Answers all open requests of the client with errors. */
  async end(why: string): Promise<void> {
    this.#isOver = true;
    for (const { cancel } of this.#atGate.values()) cancel.abort();
    const open = [...this.#atServer.values(), ...this.#atGate.values()];
    this.#atServer.clear();
    this.#atGate.clear();
    for (const { id } of open) await this.#toClient(errorFor(id, INTERNAL_ERROR, `the MCP server is gone: ${why}`));
  }

  /**
   * To be called when the client has disconnected. Cancels each call that waits at the gate: the call never reaches the server, and the
   * grant request of the call stays pending.
   */
  leave(): void {
    this.#isOver = true;
    for (const { cancel } of this.#atGate.values()) cancel.abort();
  }

  async #clientMessage(message: RpcMessage): Promise<void> {
    switch (message.kind) {
      case 'request':
        return this.#clientRequest(message);
      case 'notification':
        if (message.method === 'notifications/cancelled') return this.#cancelled(message);
        if (CLIENT_NOTIFICATIONS.has(message.method)) return this.#toServer(message);
        return this.#complain(`dropped a notification of the client: ${message.method}`);
      case 'response':
        if (this.#atClient.delete(String(message.id))) return this.#toServer(message);
        return this.#complain('dropped an answer of the client to a request that it did not get');
    }
  }

  async #clientRequest(message: RpcMessage & { readonly kind: 'request' }): Promise<void> {
    const { id, method, params } = message;
    const key = String(id);
    if (this.#atServer.has(key) || this.#atGate.has(key))
      return this.#toClient(errorFor(id, INVALID_REQUEST, 'refused: a request with this id is under way'));
    if (!CLIENT_REQUESTS.has(method))
      return this.#toClient(errorFor(id, METHOD_NOT_FOUND, `apes mcp-proxy does not carry ${visibleLine(method)}`));
    if (method === 'tools/call') return this.#toolCall(id, params);
    const asked = { id, method };
    this.#atServer.set(key, asked);
    if (method === TOOLS_LIST && params?.['cursor'] === undefined) this.#newList = asked;
    const sent = method === 'initialize' ? { ...message, params: this.#capabilities(params) } : message;
    return this.#toServer(sent);
  }

  /** If the server is not allowed to use `sampling`, removes this capability from the params. */
  #capabilities(params: JsonRecord | null): JsonRecord | null {
    if (this.#parts.isSamplingAllowed || params === null || !isJsonRecord(params['capabilities'])) return params;
    const { sampling, ...others } = params['capabilities'];
    return { ...params, capabilities: others };
  }

  async #toolCall(id: RpcId, params: JsonRecord | null): Promise<void> {
    const call = readToolParams(params);
    if (!call.ok) return this.#toClient(errorFor(id, INVALID_PARAMS, `refused: ${call.failure.message}`));
    if (this.#atGate.size >= MAX_AT_GATE)
      return this.#toClient(errorFor(id, INTERNAL_ERROR, `refused: ${MAX_AT_GATE} calls wait at the gate already`));
    if (this.#declarations.isUnreadable(call.value.name)) return this.#toClient(resultFor(id, UNREADABLE_DECLARATION));
    const cancel = new AbortController();
    this.#atGate.set(String(id), { id, cancel });
    // This promise is not awaited: other messages are relayed meanwhile.
    void this.#gate(id, call.value, cancel.signal);
  }

  async #gate(id: RpcId, call: ToolParams, cancelled: AbortSignal): Promise<void> {
    const key = String(id);
    const wanted: WantedCall = {
      tool: call.name,
      arguments: call.arguments ?? {},
      declared: this.#declarations.digestOf(call.name),
      listed: this.#declarations.digest,
    };
    let outcome: Awaited<ReturnType<AskGate>>;
    try {
      outcome = await this.#parts.askGate(wanted, this.#conversation(call, cancelled));
    } catch (error) {
      outcome = {
        ok: false,
        failure: fault(`ape-shell: NOT RUN, the server has not seen it: internal error: ${String(error)}\n`),
      };
    }
    // After a cancellation, the client wants no answer. If the server has ended, `end` has already answered.
    if (this.#atGate.get(key)?.cancel.signal !== cancelled || cancelled.aborted || this.#isOver) return;
    this.#atGate.delete(key);
    if (!outcome.ok)
      return this.#toClient(
        resultFor(id, { content: [{ type: 'text', text: outcome.failure.message }], isError: true }),
      );
    this.#atServer.set(key, { id, method: 'tools/call', grantId: outcome.value.grantId });
    return this.#toServer({ kind: 'request', id, method: 'tools/call', params: sentParams(call) });
  }

  #conversation(call: ToolParams, cancelled: AbortSignal): Conversation {
    const token = call.progressToken;
    if (token !== undefined) this.#progress.begin(token);
    return {
      cancelled,
      offerPage: null,
      progress: (elapsedMs, message) => {
        if (token === undefined || this.#isOver) return;
        const params = { progressToken: token, progress: this.#progress.next(token, elapsedMs), message };
        void this.#toClient({ kind: 'notification', method: 'notifications/progress', params });
      },
    };
  }

  /** A cancelled call that waits at the gate never reaches the server. If the server has the request, passes the cancellation on. */
  async #cancelled(message: RpcMessage & { readonly kind: 'notification' }): Promise<void> {
    const id = message.params?.['requestId'];
    const key = typeof id === 'string' || typeof id === 'number' ? String(id) : null;
    const waiting = key === null ? undefined : this.#atGate.get(key);
    if (key !== null && waiting !== undefined) {
      this.#atGate.delete(key);
      waiting.cancel.abort();
      return;
    }
    const asked = key === null ? undefined : this.#atServer.get(key);
    if (asked === undefined) return;
    if (this.#newList === asked) this.#newList = null;
    await this.#toServer(message);
  }

  async #serverMessage(message: RpcMessage): Promise<void> {
    switch (message.kind) {
      case 'response':
        return this.#serverAnswer(message);
      case 'notification':
        if (message.method === 'notifications/progress')
          return this.#toClient({ ...message, params: this.#progress.raised(message.params) });
        if (SERVER_NOTIFICATIONS.has(message.method)) return this.#toClient(message);
        return this.#complain(`dropped a notification of the server: ${message.method}`);
      case 'request':
        return this.#serverRequest(message);
    }
  }

  async #serverAnswer(message: RpcMessage & { readonly kind: 'response' }): Promise<void> {
    const asked = this.#atServer.get(String(message.id));
    if (asked === undefined || asked.id !== message.id)
      return this.#complain('dropped an answer of the server to a request that it did not get');
    this.#atServer.delete(String(message.id));
    if (asked.method === TOOLS_LIST) this.#listAnswer(asked, message.body['result']);
    if (asked.grantId !== undefined)
      this.#parts.onAnswer(asked.grantId, Object.hasOwn(message.body, 'result') ? 'answered' : 'error');
    return this.#toClient(message);
  }

  /**
   * The answer to `#newList` replaces all declarations. Any other answer only adds its declarations. Other answers are further pages, and
   * answers to older or cancelled requests; the client can use these answers too. If an added answer declares a tool again, the tool gets
   * another digest, and no earlier approval covers the tool.
   */
  #listAnswer(asked: Forwarded, result: unknown): void {
    if (this.#newList === asked) this.#declarations.replace(result);
    else this.#declarations.add(result);
  }

  async #serverRequest(message: RpcMessage & { readonly kind: 'request' }): Promise<void> {
    const { id, method } = message;
    const isCarried = SERVER_REQUESTS.has(method) && (method !== SAMPLING || this.#parts.isSamplingAllowed);
    if (!isCarried) {
      this.#complain(`refused a request of the server to the client: ${method}`);
      return this.#toServer(errorFor(id, METHOD_NOT_FOUND, `apes mcp-proxy does not carry ${visibleLine(method)}`));
    }
    if (this.#atClient.has(String(id)))
      return this.#toServer(errorFor(id, INVALID_REQUEST, 'a request with this id is under way'));
    this.#atClient.add(String(id));
    return this.#toClient(message);
  }

  async #toServer(message: RpcMessage): Promise<void> {
    const text = writeMessage(message);
    if (text !== null) return writeLine(this.#parts.server.input, text);
    if (message.kind === 'notification')
      return this.#complain('dropped a message of the client that is nested too deep');
    const why = errorFor(message.id, PARSE_ERROR, 'refused: the message is nested too deep');
    if (message.kind === 'response') return this.#toServer(why);
    this.#atServer.delete(String(message.id));
    return this.#toClient(why);
  }

  async #toClient(message: RpcMessage): Promise<void> {
    const text = writeMessage(message);
    if (text !== null) return writeLine(this.#parts.client.output, text);
    if (message.kind !== 'response') return this.#complain('dropped a message of the server that is nested too deep');
    const late = writeMessage(errorFor(message.id, INTERNAL_ERROR, 'the answer of the server is nested too deep'));
    return writeLine(this.#parts.client.output, late ?? '');
  }
}

/**
 * The params of a `tools/call` that the server gets. A property is undefined if the call does not have this member.
 * @property ttl how long the server keeps the result of a task, in ms. Null: the task has no `ttl`. Undefined: there is no task
 */
interface ToolParams {
  readonly name: string;
  readonly arguments: JsonRecord | undefined;
  readonly progressToken: RpcId | undefined;
  readonly ttl: number | null | undefined;
}

const PARAMS: ReadonlySet<string> = new Set(['name', 'arguments', '_meta', 'task']);

/** Reads the params of a `tools/call`. Refuses unknown members, because the approver would not see them. */
function readToolParams(params: JsonRecord | null): Result<ToolParams, Fault> {
  if (params === null) return failed(fault('the params are missing'));
  const stranger = Object.keys(params).find((name) => !PARAMS.has(name));
  if (stranger !== undefined) return failed(fault(`tools/call has no member ${visibleLine(stranger.slice(0, 80))}`));
  const { name, arguments: given, _meta: meta, task } = params;
  if (typeof name !== 'string') return failed(fault('the name of the tool is not a string'));
  if (given !== undefined && !isJsonRecord(given)) return failed(fault('the arguments are no object'));
  const token = isJsonRecord(meta) ? meta['progressToken'] : undefined;
  const ttl = isJsonRecord(task) ? (task['ttl'] ?? null) : undefined;
  if (ttl !== undefined && ttl !== null && typeof ttl !== 'number')
    return failed(fault('the ttl of the task is not a number'));
  return success({
    name,
    arguments: given,
    progressToken: typeof token === 'string' || typeof token === 'number' ? token : undefined,
    ttl,
  });
}

/**
 * Makes the params for the server. Keeps only `progressToken` of `_meta`, and only `ttl` of `task`: both values control only the answer.
 */
const sentParams = ({ name, arguments: given, progressToken, ttl }: ToolParams): JsonRecord => ({
  name,
  ...(given === undefined ? {} : { arguments: given }),
  ...(progressToken === undefined ? {} : { _meta: { progressToken } }),
  ...(ttl === undefined ? {} : { task: ttl === null ? {} : { ttl } }),
});
