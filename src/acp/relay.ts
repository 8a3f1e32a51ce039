/**
 * Relays between an editor and an agent of the Agent Client Protocol. The relay parses each message, and writes it again. The gate decides
 * two kinds of requests of the agent:
 * - a request for permission: the relay answers this request, and the editor does not get it
 * - a request for an action of the editor on this host: the editor gets this request only if the gate allows the action
 */

import type { Readable, Writable } from 'node:stream';
import { type Fault, fault } from '../core/fault.ts';
import type { Result } from '../core/result.ts';
import { visibleLine } from '../core/text/visible-text.ts';
import type { Conversation } from '../mcp/conversation.ts';
import { limitedComplaints } from '../rpc/complaints.ts';
import { writeLine } from '../rpc/lines.ts';
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
  resultFor,
  writeMessage,
} from '../rpc/messages.ts';
import { takeMessages } from '../rpc/read-messages.ts';
import { type GatedRequest, readGatedRequest } from './gated-request.ts';
import {
  AGENT_NOTIFICATIONS,
  CANCEL_REQUEST,
  GATED_REQUESTS,
  INITIALIZE,
  PROTOCOL_VERSION,
  REQUEST_PERMISSION,
  SESSION_CANCEL,
  SESSION_UPDATE,
  UNGATED_REQUESTS,
} from './methods.ts';
import { noteFor } from './note.ts';
import { allowedOutcome, CANCELLED_OUTCOME, rejectedOutcome } from './permission.ts';
import { Sessions } from './sessions.ts';
import { ToolCalls } from './tool-calls.ts';

/**
 * @property askGate  asks the gate about one request; `cwd` is the directory of the session. The message of the fault says why the request
 *                    is not carried out
 * @property complain takes one line for standard error; called at most 100 times
 */
interface AcpRelayParts {
  readonly editor: { readonly input: Readable; readonly output: Writable };
  readonly agent: { readonly input: Writable; readonly output: Readable };
  readonly askGate: (asked: GatedRequest, cwd: string, talk: Conversation) => Promise<Result<null, Fault>>;
  readonly complain: (line: string) => void;
}

/** The most requests that can wait at the gate at once; a further request is refused. */
const MAX_AT_GATE = 64;
/** The error code of the Agent Client Protocol for a cancelled request. */
const REQUEST_CANCELLED = -32_800;

type RpcRequest = RpcMessage & { readonly kind: 'request' };

interface AtGate {
  readonly id: RpcId;
  readonly asked: GatedRequest;
  readonly cancel: AbortController;
}

export class AcpRelay {
  readonly #parts: AcpRelayParts;
  readonly #complain: (text: string) => void;
  readonly #sessions = new Sessions();
  readonly #calls = new ToolCalls();
  // The keys of the next three maps are ids as text: some readers of JSON treat `1` and `"1"` as the same.
  /** Requests of the editor that the agent has not answered. */
  readonly #atAgent = new Map<string, RpcRequest>();
  /** Requests of the agent that the editor has not answered. */
  readonly #atEditor = new Map<string, RpcId>();
  /** Requests of the agent that wait for a decision. */
  readonly #atGate = new Map<string, AtGate>();
  #isOver = false;

  constructor(parts: AcpRelayParts) {
    this.#parts = parts;
    this.#complain = limitedComplaints(parts.complain);
  }

  /** Relays messages of the editor until the editor closes its output. */
  fromClient(): Promise<void> {
    return takeMessages(this.#parts.editor, (message) => this.#editorMessage(message), this.#complain);
  }

  /** Relays messages of the agent until the agent closes its output. Returns a text that says why the relaying ended. */
  async fromServer(): Promise<string> {
    const { input: output, output: input } = this.#parts.agent;
    await takeMessages({ input, output }, (message) => this.#agentMessage(message), this.#complain);
    return 'it closed its output';
  }

  /** Call this when the agent is gone. Answers the editor's open requests with errors. Requests at the gate are not carried out. */
  async end(why: string): Promise<void> {
    this.leave();
    const open = [...this.#atAgent.values()];
    this.#atAgent.clear();
    for (const { id } of open) await this.#toEditor(errorFor(id, INTERNAL_ERROR, `the agent is gone: ${why}`));
  }

  /** Call this when the editor is gone. Requests at the gate stay in the inbox, but are not carried out. */
  leave(): void {
    this.#isOver = true;
    for (const { cancel } of this.#atGate.values()) cancel.abort();
    this.#atGate.clear();
  }

  async #editorMessage(message: RpcMessage): Promise<void> {
    if (message.kind === 'response') {
      if (this.#atEditor.delete(String(message.id))) return this.#toAgent(message);
      return this.#complain('dropped an answer of the editor to a request that the editor did not get');
    }
    if (message.kind === 'notification') {
      if (message.method === SESSION_CANCEL) await this.#cancelSession(message.params?.['sessionId']);
      return this.#toAgent(message);
    }
    const key = String(message.id);
    if (this.#atAgent.has(key))
      return this.#toEditor(errorFor(message.id, INVALID_REQUEST, 'refused: a request with this id is under way'));
    const sent = message.method === INITIALIZE ? { ...message, params: withKnownVersion(message.params) } : message;
    this.#sessions.takeRequest(message.params);
    this.#atAgent.set(key, sent);
    return this.#toAgent(sent);
  }

  /** Answers this session's requests at the gate as cancelled. Call this before the agent gets the notification of the cancelled turn. */
  async #cancelSession(sessionId: unknown): Promise<void> {
    for (const [key, waiting] of this.#atGate)
      if (waiting.asked.sessionId === sessionId) await this.#cancelRequest(key, waiting, 'the turn was cancelled');
  }

  async #cancelRequest(key: string, { id, asked, cancel }: AtGate, why: string): Promise<void> {
    this.#atGate.delete(key);
    cancel.abort();
    await this.#toAgent(
      asked.kind === 'permission'
        ? resultFor(id, CANCELLED_OUTCOME)
        : errorFor(id, REQUEST_CANCELLED, `ape-shell: NOT RUN: ${why}`),
    );
  }

  async #agentMessage(message: RpcMessage): Promise<void> {
    switch (message.kind) {
      case 'response':
        return this.#agentAnswer(message);
      case 'notification':
        return this.#agentNotification(message);
      case 'request':
        return this.#agentRequest(message);
    }
  }

  async #agentAnswer(message: RpcMessage & { readonly kind: 'response' }): Promise<void> {
    const asked = this.#atAgent.get(String(message.id));
    if (asked === undefined || asked.id !== message.id)
      return this.#complain('dropped an answer of the agent to a request that the agent did not get');
    this.#atAgent.delete(String(message.id));
    const { result } = message.body;
    if (asked.method === INITIALIZE && isJsonRecord(result) && result['protocolVersion'] !== PROTOCOL_VERSION) {
      const spoken = visibleLine(JSON.stringify(result['protocolVersion'] ?? null).slice(0, 40));
      const why = `the agent speaks version ${spoken} of the protocol; apes acp carries version ${PROTOCOL_VERSION}`;
      return this.#toEditor(errorFor(message.id, INTERNAL_ERROR, why));
    }
    this.#sessions.takeAnswer(asked.params, result);
    return this.#toEditor(message);
  }

  async #agentNotification(message: RpcMessage & { readonly kind: 'notification' }): Promise<void> {
    const { method, params } = message;
    if (!AGENT_NOTIFICATIONS.has(method)) return this.#complain(`dropped a notification of the agent: ${method}`);
    if (method === SESSION_UPDATE) this.#calls.take(params);
    if (method !== CANCEL_REQUEST) return this.#toEditor(message);
    const id = params?.['requestId'];
    const key = typeof id === 'string' || typeof id === 'number' ? String(id) : '';
    const waiting = this.#atGate.get(key);
    if (waiting !== undefined) return this.#cancelRequest(key, waiting, 'the agent cancelled the request');
    if (this.#atEditor.has(key)) return this.#toEditor(message);
  }

  async #agentRequest(message: RpcRequest): Promise<void> {
    const { id, method, params } = message;
    const key = String(id);
    if (this.#atEditor.has(key) || this.#atGate.has(key))
      return this.#toAgent(errorFor(id, INVALID_REQUEST, 'refused: a request with this id is under way'));
    if (UNGATED_REQUESTS.has(method)) {
      this.#atEditor.set(key, id);
      return this.#toEditor(message);
    }
    if (!GATED_REQUESTS.has(method)) {
      this.#complain(`refused a request of the agent to the editor: ${method}`);
      return this.#toAgent(errorFor(id, METHOD_NOT_FOUND, `apes acp does not carry ${visibleLine(method)}`));
    }
    const asked = readGatedRequest(method, params, this.#calls);
    if (!asked.ok) return this.#malformed(message, asked.failure.message);
    if (this.#atGate.size >= MAX_AT_GATE)
      return this.#refuse(id, asked.value, `NOT RUN: ${MAX_AT_GATE} requests wait at the gate already`);
    const cwd = this.#sessions.directoryOf(asked.value.sessionId);
    if (cwd === null) return this.#refuse(id, asked.value, 'NOT RUN: the editor made no session of this name');
    const waiting: AtGate = { id, asked: asked.value, cancel: new AbortController() };
    this.#atGate.set(key, waiting);
    // Does not wait for the gate: the relay must carry other messages meanwhile.
    void this.#gate(message, waiting, cwd);
  }

  /** Answers a request for permission with an outcome, never with an error: the protocol does not say what an agent does after an error. */
  async #malformed({ id, method }: RpcRequest, why: string): Promise<void> {
    this.#complain(`refused ${method}: ${why}`);
    return this.#toAgent(
      method === REQUEST_PERMISSION
        ? resultFor(id, CANCELLED_OUTCOME)
        : errorFor(id, INVALID_PARAMS, `refused: ${why}`),
    );
  }

  async #refuse(id: RpcId, asked: GatedRequest, why: string): Promise<void> {
    this.#complain(why);
    await this.#note(asked, why);
    return this.#toAgent(
      asked.kind === 'permission'
        ? resultFor(id, rejectedOutcome(asked.options, why))
        : errorFor(id, INTERNAL_ERROR, `ape-shell: ${why}`),
    );
  }

  async #gate(message: RpcRequest, waiting: AtGate, cwd: string): Promise<void> {
    const { id, asked, cancel } = waiting;
    const key = String(id);
    const talk: Conversation = {
      cancelled: cancel.signal,
      offerPage: null,
      progress: (elapsedMs, text) => {
        if (elapsedMs === 0 && this.#atGate.get(key) === waiting) void this.#note(asked, `NOT RUN YET: ${text}`);
      },
    };
    let outcome: Result<null, Fault>;
    try {
      outcome = await this.#parts.askGate(asked, cwd, talk);
    } catch (error) {
      outcome = { ok: false, failure: fault(`NOT RUN: internal error: ${String(error)}`) };
    }
    // A cancelled request is answered already. If the agent or the editor is gone, no one waits for the answer.
    if (this.#atGate.get(key) !== waiting || cancel.signal.aborted || this.#isOver) return;
    this.#atGate.delete(key);
    if (!outcome.ok) return this.#refuse(id, asked, outcome.failure.message);
    if (asked.kind !== 'permission') {
      this.#atEditor.set(key, id);
      return this.#toEditor({ ...message, params: asked.sent });
    }
    if (asked.options.allow === null)
      return this.#refuse(id, asked, 'NOT RUN: approved, but the agent offers no option that allows it once');
    return this.#toAgent(resultFor(id, allowedOutcome(asked.options.allow)));
  }

  /** Shows `text` to the person at the editor. */
  #note(asked: GatedRequest, text: string): Promise<void> {
    const isKnown = asked.kind === 'permission' && this.#calls.isKnown(asked.sessionId, asked.toolCallId);
    return this.#toEditor(noteFor(asked, `ape-shell: ${visibleLine(text)}`, isKnown));
  }

  async #toAgent(message: RpcMessage): Promise<void> {
    const text = writeMessage(message);
    if (text !== null) return writeLine(this.#parts.agent.input, text);
    this.#complain('dropped a message of the editor that is nested too deep');
    if (message.kind === 'notification') return;
    const why = errorFor(message.id, PARSE_ERROR, 'refused: the message is nested too deep');
    if (message.kind === 'response') return this.#toAgent(why);
    this.#atAgent.delete(String(message.id));
    return this.#toEditor(why);
  }

  async #toEditor(message: RpcMessage): Promise<void> {
    const text = writeMessage(message);
    if (text !== null) return writeLine(this.#parts.editor.output, text);
    this.#complain('dropped a message of the agent that is nested too deep');
    if (message.kind === 'notification') return;
    const why = errorFor(message.id, INTERNAL_ERROR, 'refused: the message is nested too deep');
    if (message.kind === 'response') return this.#toEditor(why);
    this.#atEditor.delete(String(message.id));
    return this.#toAgent(why);
  }
}

/** Replaces a protocol version later than PROTOCOL_VERSION. The agent's answer tells the editor which version is in use. */
const withKnownVersion = (params: JsonRecord | null): JsonRecord | null =>
  typeof params?.['protocolVersion'] === 'number' && params['protocolVersion'] > PROTOCOL_VERSION
    ? { ...params, protocolVersion: PROTOCOL_VERSION }
    : params;
