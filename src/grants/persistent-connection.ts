/**
 * A connection to the grant server that stays open for many calls (`core/wire/connection.ts`). An interactive shell and a resident gate use
 * this connection. The connection is opened in the background. Until the connection is open, calls go over HTTP.
 */

import http from 'node:http';
import type { Socket } from 'node:net';
import { API_VERSION, PERSISTENT_CONNECTION } from '../core/api-protocol.ts';
import type { Failure } from '../core/failure.ts';
import { failed, type Result, success } from '../core/result.ts';
import type { ConnectionAnswer, ConnectionCall } from '../core/wire/connection.ts';
import { systemClock } from '../platform/clock.ts';
import { type KeyShare, newKeyShare, transcriptOf } from '../platform/connection-key.ts';
import { FrameDecoder } from '../platform/frame-decoder.ts';
import { encodeFrame } from '../platform/frames.ts';
import type { Identity } from './enrolment.ts';
import { MAX_ANSWER_BYTES, malformed, noAnswer, type Server, type ServerAnswer, type ServerCall } from './http.ts';
import { isSignedBy } from './permit.ts';

const CALLS: Readonly<Record<string, ConnectionCall['call']>> = { '/v1/requests': 'ask', '/v1/reports': 'report' };

/** This process opens the connection this long after a call. An earlier start would delay the call or the next prompt. */
const OPEN_AFTER_MS = 300;
/** After a refusal by the server, this process does not try to open the connection again for this long. */
const REFUSED_FOR_MS = 60_000;

interface Waiting {
  readonly socket: Socket;
  readonly settle: (answer: Result<ServerAnswer, Failure>) => void;
  readonly deadline: NodeJS.Timeout;
}

export class PersistentConnection {
  readonly #server: Server;
  readonly #identity: Pick<Identity, 'serverPublicKey' | 'subjectId'>;
  readonly #waiting = new Map<number, Waiting>();
  #socket: Socket | null = null;
  #isOpening = false;
  /** Stops the opening that is under way. */
  #stopOpening: () => void = () => undefined;
  #notBeforeMs = 0;
  #lastId = 0;

  /** @param identity the requester that makes the calls, and the public key of the enrolled server */
  constructor(server: Server, identity: Pick<Identity, 'serverPublicKey' | 'subjectId'>) {
    this.#server = server;
    this.#identity = identity;
  }

  get isOpen(): boolean {
    return this.#socket !== null;
  }

  /** Closes the connection. Every waiting call fails with "the connection broke". A later call opens the connection again. */
  close(): void {
    this.#stopOpening();
    this.#socket?.destroy();
  }

  /**
   * Makes a call; the promise is never rejected. Returns null if the caller has to make this call over HTTP:
   * - if only HTTP carries this kind of call, or the call has no token
   * - if the connection is not open. The call then also opens the connection in the background, but not if the URL is `https:`, or if the
   *   server has just refused the connection
   */
  call(call: ServerCall): Promise<Result<ServerAnswer, Failure>> | null {
    const kind = call.method === 'POST' ? CALLS[call.path] : undefined;
    const { token } = call;
    if (kind === undefined || token === undefined) return null;
    const socket = this.#socket;
    if (socket === null) {
      this.#openSoon(token);
      return null;
    }
    this.#lastId += 1;
    const sent: ConnectionCall = { id: this.#lastId, call: kind, token, body: call.body };
    return new Promise((resolve) => {
      const { timeoutMs } = this.#server;
      const deadline = setTimeout(() => {
        this.#settle(sent.id, failed(noAnswer(this.#server, `no answer within ${timeoutMs / 1000} s`)));
        this.#leave(socket);
        socket.destroy(); // the next call goes over HTTP, and shows whether the server answers
      }, timeoutMs);
      this.#waiting.set(sent.id, { socket, settle: resolve, deadline });
      socket.ref();
      socket.write(encodeFrame('q', JSON.stringify(sent)));
    });
  }

  #openSoon(token: string): void {
    if (this.#isOpening || systemClock.elapsedMs() < this.#notBeforeMs || !this.#server.url.startsWith('http:')) return;
    this.#isOpening = true;
    const timer = setTimeout(() => this.#open(token), OPEN_AFTER_MS).unref();
    this.#stopOpening = () => {
      clearTimeout(timer);
      this.#isOpening = false;
    };
  }

  #open(token: string): void {
    const share = newKeyShare();
    const upgrade = { connection: 'Upgrade', upgrade: PERSISTENT_CONNECTION, 'ape-share': share.publicKey };
    const request = http.request(`${this.#server.url}/v1/connection`, {
      agent: false,
      headers: { authorization: `Bearer ${token}`, ...upgrade },
    });
    this.#stopOpening = () => void request.destroy(); // the event `error` ends the opening
    request.setTimeout(this.#server.timeoutMs, () => request.destroy());
    request.on('socket', (socket) => socket.unref());
    request.on('error', () => this.#notNow(0));
    request.on('response', (response) => {
      response.resume();
      this.#notNow(REFUSED_FOR_MS);
    });
    request.on('upgrade', (response, socket, head) => {
      const key = response.headers['ape-api'] === String(API_VERSION) ? this.#agree(share, response.headers) : null;
      if (key === null) {
        socket.destroy();
        this.#notNow(REFUSED_FOR_MS);
      } else this.#begin(socket as Socket, head, key);
    });
    request.end();
  }

  #notNow(forMs: number): void {
    this.#isOpening = false;
    this.#stopOpening = () => undefined;
    this.#notBeforeMs = systemClock.elapsedMs() + forMs;
  }

  /** Returns the key of the connection; null if the answer does not prove that the server's key share is from the enrolled server. */
  #agree(share: KeyShare, headers: http.IncomingHttpHeaders): Buffer | null {
    const { 'ape-share': serverShare, 'ape-proof': proof } = headers;
    if (typeof serverShare !== 'string' || typeof proof !== 'string') return null;
    const transcript = transcriptOf({ ...this.#identity, clientShare: share.publicKey, serverShare });
    if (!isSignedBy(this.#identity.serverPublicKey, transcript, Buffer.from(proof, 'base64url'))) return null;
    return share.agree(serverShare, transcript);
  }

  #begin(socket: Socket, head: Buffer, connectionKey: Buffer): void {
    this.#isOpening = false;
    this.#stopOpening = () => undefined;
    this.#socket = socket;
    const decoder = new FrameDecoder({ a: MAX_ANSWER_BYTES });
    const take = (chunk: Buffer) => this.#take(socket, connectionKey, decoder, chunk);
    socket.setTimeout(0);
    socket.setNoDelay(true);
    socket.setKeepAlive(true, 60_000);
    socket.on('data', take);
    socket.on('error', () => socket.destroy());
    socket.on('end', () => socket.destroy());
    socket.once('close', () => this.#end(socket));
    socket.unref();
    if (head.length > 0) take(head);
    socket.resume();
  }

  /** Makes each unanswered call fail. An unanswered call is not sent again: the call has possibly taken effect at the server. */
  #end(socket: Socket): void {
    this.#leave(socket);
    this.#failAll(socket, noAnswer(this.#server, 'the connection broke'));
  }

  /** Makes the next call go over HTTP. */
  #leave(socket: Socket): void {
    if (this.#socket === socket) this.#socket = null;
  }

  #failAll(socket: Socket, why: Failure): void {
    for (const [id, waiting] of [...this.#waiting]) if (waiting.socket === socket) this.#settle(id, failed(why));
  }

  #take(socket: Socket, connectionKey: Buffer, decoder: FrameDecoder, chunk: Buffer): void {
    const answers = decoder.takeOrNull(chunk)?.map(({ payload }) => readAnswer(payload)) ?? [null];
    for (const answer of answers) {
      if (answer === null) continue;
      // After a 401 the server ends the connection, and a call that is sent now would be lost.
      if (answer.status === 401) this.#leave(socket);
      const { status, body = null } = answer;
      const read: ServerAnswer = { status, body, serverTimeMs: null, connectionKey };
      this.#settle(answer.id, success(read));
    }
    if (answers.includes(null)) {
      this.#failAll(socket, malformed(this.#server, 'its answer is not JSON, or too long'));
      this.#leave(socket);
      socket.destroy();
    }
  }

  #settle(id: number, answer: Result<ServerAnswer, Failure>): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (waiting === undefined) return;
    if (this.#waiting.size === 0) waiting.socket.unref();
    clearTimeout(waiting.deadline);
    waiting.settle(answer);
  }
}

/** Returns null if the payload is not an answer. */
function readAnswer(payload: Buffer): ConnectionAnswer | null {
  let value: Partial<ConnectionAnswer> | null;
  try {
    value = JSON.parse(payload.toString('utf8')) as Partial<ConnectionAnswer> | null;
  } catch {
    return null;
  }
  const isWhole = typeof value === 'object' && typeof value?.id === 'number' && typeof value.status === 'number';
  return isWhole ? (value as ConnectionAnswer) : null;
}
