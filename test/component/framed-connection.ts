/** The client's end of a persistent connection, at the level of frames: it sends and receives frames, and its promise `ended` resolves at the end. */
import http from 'node:http';
import type { Socket } from 'node:net';
import { PERSISTENT_CONNECTION } from '../../src/core/api-protocol.ts';
import { type ConnectionAnswer, ConnectionAnswerSchema, type ConnectionCall } from '../../src/core/wire/connection.ts';
import { newKeyShare } from '../../src/platform/connection-key.ts';
import { FrameDecoder } from '../../src/platform/frame-decoder.ts';
import { encodeFrame } from '../../src/platform/frames.ts';
import { guardOf } from '../../src/server/http/validation.ts';

const isAnswer = guardOf(ConnectionAnswerSchema);

export type Upgraded = { readonly status: number; readonly body: string } | FramedConnection;

/** Upgrades as a program of the requester does. Returns the ordinary answer if the server refuses. */
export function upgrade(
  url: string,
  headers: Readonly<Record<string, string>>,
  {
    method = 'GET',
    path = '/v1/connection',
    to = PERSISTENT_CONNECTION,
    share = newKeyShare().publicKey,
    signal = new AbortController().signal,
  } = {},
): Promise<Upgraded> {
  return new Promise((resolve, reject) => {
    const request = http.request(url + path, {
      method,
      agent: false,
      signal,
      headers: { 'ape-share': share, ...headers, connection: 'Upgrade', upgrade: to },
    });
    request.on('error', reject);
    request.on('upgrade', (_, socket, head) => resolve(new FramedConnection(socket as Socket, head)));
    request.on('response', async (response) => {
      let body = '';
      for await (const chunk of response) body += String(chunk);
      resolve({ status: response.statusCode ?? 0, body });
    });
    request.end();
  });
}

export class FramedConnection {
  readonly socket: Socket;
  readonly ended: Promise<void>;
  readonly #decoder = new FrameDecoder({ a: 16 << 20 });
  readonly #answers = new Map<number, (answer: ConnectionAnswer | null) => void>();
  #lastId = 0;

  constructor(socket: Socket, head: Buffer) {
    this.socket = socket;
    socket.on('error', () => socket.destroy());
    this.ended = new Promise((resolve) => socket.once('close', () => resolve()));
    void this.ended.then(() => {
      for (const settle of this.#answers.values()) settle(null);
    });
    socket.on('data', (chunk: Buffer) => this.#take(chunk));
    this.#take(head);
  }

  #take(chunk: Buffer): void {
    for (const { payload } of this.#decoder.take(chunk)) {
      const answer: unknown = JSON.parse(payload.toString());
      if (!isAnswer(answer)) throw new Error(`no answer: ${JSON.stringify(answer)}`);
      this.#answers.get(answer.id)?.(answer);
      this.#answers.delete(answer.id);
    }
  }

  /** Returns null if the connection ended without an answer. */
  call(call: ConnectionCall['call'], token: string, body: unknown): Promise<ConnectionAnswer | null> {
    this.#lastId += 1;
    const id = this.#lastId;
    const answer = new Promise<ConnectionAnswer | null>((resolve) => this.#answers.set(id, resolve));
    this.socket.write(encodeFrame('q', JSON.stringify({ id, call, token, body })));
    return answer;
  }
}

export function mustBeUpgraded(upgraded: Upgraded): FramedConnection {
  if (!(upgraded instanceof FramedConnection)) throw new Error(`no upgrade: ${JSON.stringify(upgraded)}`);
  return upgraded;
}
