/**
 * The client of a session. Verbs and the host agent use this client. It connects to the session's private socket, and sends requests to the
 * session's host: the process that has the session's terminal.
 */
import { existsSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { dirname } from 'node:path';
import { type Failure, failure } from '../../core/failure.ts';
import { failed, type Result, success } from '../../core/result.ts';
import { BadFrame, FrameDecoder } from '../../platform/frame-decoder.ts';
import type { Frame } from '../../platform/frames.ts';
import { checkPrivate } from '../../platform/private-files.ts';
import { type EventFrame, jsonFrame, parseJson, readAnswered, SESSION_LIMITS } from '../protocol.ts';
import type { SessionEntry } from '../registry.ts';

/** How long to wait for an answer, unless the caller sets another limit. */
const ANSWER_MS = 10_000;

/**
 * One connection to one session.
 * @property entry the session's entry in the registry
 */
export interface SessionClient {
  readonly entry: SessionEntry;
  /**
   * Sends a request and returns the value of the answer. Passes on a failure from the session's host. Fails with `unavailable` after
   * `timeoutMs` (default 10 s), or if the connection breaks.
   */
  ask(
    request: string,
    params?: Readonly<Record<string, unknown>>,
    timeoutMs?: number,
  ): Promise<Result<unknown, Failure>>;
  /**
   * After a request `watch` or `attach`, the session's host sends events, and bytes for the screen. The listener of `onEvent` gets the
   * events. The listener of `onOutput` gets the bytes. A later call replaces the listener.
   */
  onEvent(listener: (event: EventFrame) => void): void;
  onOutput(listener: (bytes: Buffer) => void): void;
  /** Calls the listener when the connection ends, also after `close`. If the connection has ended already, calls the listener at once. */
  onClosed(listener: () => void): void;
  /** Stops reading until `resume`. Answers are not read either. So a call of `ask` can fail with a time-out. */
  pause(): void;
  resume(): void;
  /** Sends the bytes of a frame that is not a request. Does nothing after the connection has ended. */
  send(frame: Buffer): void;
  close(): void;
}

/**
 * Connects to the socket of the session. The caller must close the client. Fails if the directory of the socket is not private to us. If no
 * process accepts the connection, fails with the system's error code as the detail. If connecting takes longer than 10 s, fails with the
 * detail `session.silent`.
 */
export function connectSession(entry: SessionEntry): Promise<Result<SessionClient, Failure>> {
  const directory = dirname(entry.socket);
  const fault = checkPrivate(directory, 'directory');
  if (fault !== null && existsSync(directory)) return Promise.resolve(failed(fault));
  if (fault !== null) return Promise.resolve(failed(silent(entry, 'ENOENT', 'ENOENT')));
  return new Promise((resolve) => {
    const socket = connect(entry.socket);
    const deadline = setTimeout(() => socket.destroy(new Error('ETIMEDOUT')), ANSWER_MS);
    socket.once('error', (error: NodeJS.ErrnoException) => {
      clearTimeout(deadline);
      resolve(failed(silent(entry, error.code ?? error.message, error.code)));
    });
    socket.once('connect', () => {
      clearTimeout(deadline);
      socket.removeAllListeners('error');
      resolve(success(new SocketClient(socket, entry)));
    });
  });
}

export const sessionSilent = (name: string, why: string, detail = 'session.silent'): Failure =>
  failure('unavailable', `session ${name} does not answer (${why})`, 'see apes sessions list', detail);

const silent = (entry: SessionEntry, why: string, detail?: string): Failure =>
  sessionSilent(entry.name ?? entry.id, why, detail);

type Settle = (result: Result<unknown, Failure>) => void;

class SocketClient implements SessionClient {
  readonly entry: SessionEntry;
  readonly #socket: Socket;
  readonly #frames = new FrameDecoder(SESSION_LIMITS);
  readonly #waiting = new Map<number, Settle>();
  #lastId = 0;
  #isClosed = false;
  #onEvent: (event: EventFrame) => void = () => undefined;
  #onOutput: (bytes: Buffer) => void = () => undefined;
  #onClosed: () => void = () => undefined;

  constructor(socket: Socket, entry: SessionEntry) {
    this.#socket = socket;
    this.entry = entry;
    socket.on('error', () => undefined);
    socket.on('close', () => this.#handleClose());
    socket.on('data', (chunk: Buffer) => this.#take(chunk));
  }

  ask(
    request: string,
    params: Readonly<Record<string, unknown>> = {},
    timeoutMs = ANSWER_MS,
  ): Promise<Result<unknown, Failure>> {
    if (this.#isClosed) return Promise.resolve(failed(silent(this.entry, 'the connection is closed')));
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve) => {
      const timer = setTimeout(() => settle(failed(silent(this.entry, `no answer within ${timeoutMs} ms`))), timeoutMs);
      const settle: Settle = (result) => {
        clearTimeout(timer);
        this.#waiting.delete(id);
        resolve(result);
      };
      this.#waiting.set(id, settle);
      this.#socket.write(jsonFrame({ id, request, params }));
    });
  }

  onEvent(listener: (event: EventFrame) => void): void {
    this.#onEvent = listener;
  }

  onOutput(listener: (bytes: Buffer) => void): void {
    this.#onOutput = listener;
  }

  onClosed(listener: () => void): void {
    this.#onClosed = listener;
    if (this.#isClosed) listener();
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  send(frame: Buffer): void {
    if (!this.#isClosed) this.#socket.write(frame);
  }

  close(): void {
    this.#socket.destroy();
  }

  #take(chunk: Buffer): void {
    try {
      for (const frame of this.#frames.take(chunk)) this.#read(frame);
    } catch (error) {
      if (!(error instanceof BadFrame)) throw error;
      this.#socket.destroy();
    }
  }

  #read(frame: Frame): void {
    if (frame.type === 'O') {
      this.#onOutput(frame.payload);
      return;
    }
    const json = parseJson(frame.payload);
    if (typeof json['event'] === 'string') this.#onEvent(json as EventFrame);
    else if (typeof json['id'] === 'number') this.#waiting.get(json['id'])?.(readAnswered(json));
  }

  #handleClose(): void {
    this.#isClosed = true;
    for (const settle of [...this.#waiting.values()]) settle(failed(silent(this.entry, 'the connection is closed')));
    this.#onClosed();
  }
}
