/** The private socket of one session: which processes may connect, which requests these processes may send, and within what time. */
import { chmodSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Journal } from '../../audit/journal.ts';
import { EXIT_STATUS, type Failure, failure } from '../../core/failure.ts';
import type { SendReport } from '../../core/message/send-outcome.ts';
import { sendText } from '../../core/message/send-text.ts';
import { failed, type Result, success } from '../../core/result.ts';
import { BadFrame, FrameDecoder } from '../../platform/frame-decoder.ts';
import { encodeFrame, type Frame } from '../../platform/frames.ts';
import { errorCode } from '../../platform/private-files.ts';
import type { TerminalSize } from '../../terminal/user-terminal.ts';
import {
  answeredFrame,
  FIRST_FRAME_MS,
  jsonFrame,
  type RequestFrame,
  readListFrame,
  readRequestFrame,
  SESSION_LIMITS,
  WHOLE_FRAME_MS,
} from '../protocol.ts';
import { type Attachment, Attachments } from './attachment.ts';
import type { HostedSession } from './hosted-session.ts';
import { OfferedApi } from './offered-api.ts';
import { isOwnPeer } from './peer.ts';
import { SESSION_REQUESTS } from './requests.ts';
import { type RecordVisit, recordVisits, type Visitor, visitorOf } from './session-journal.ts';
import { ScreenViewer, WatchingViewer } from './stream-viewers.ts';
import type { Viewer } from './viewers.ts';

const MAX_CONNECTIONS = 64;
/** If a client leaves more bytes unread than this, we disconnect the client. */
const UNREAD_BYTES = 32 << 20;

/**
 * @property path     the path of the socket, in a directory that is private to us
 * @property peerPath the path of the built `peer-uid`
 * @property journal  opens the journal; returns null if it cannot be opened
 */
export interface SocketParts {
  readonly session: HostedSession;
  readonly path: string;
  readonly peerPath: string;
  readonly journal: () => Journal | null;
}

export interface SessionSocket {
  /** Closes each connection when all data for the client is sent, or after `ms`. */
  close(ms: number): Promise<void>;
}

/** Fails with `system` (71) if no socket can be made at the path. */
export function openSessionSocket(parts: SocketParts): Promise<Result<SessionSocket, Failure>> {
  const attachments = new Attachments(parts.session);
  const open = new Map<Socket, Connection | null>();
  const server = createServer({ pauseOnConnect: true }, (socket) => {
    socket.on('error', () => undefined);
    open.set(socket, null);
    socket.on('close', () => open.delete(socket));
    void admit(socket, parts, attachments).then((connection) => {
      if (connection !== null && open.has(socket)) open.set(socket, connection);
    });
  });
  server.maxConnections = MAX_CONNECTIONS;
  return new Promise((resolve) => {
    server.once('error', (error) =>
      resolve(failed(failure('system', `cannot listen on ${parts.path} (${errorCode(error)})`))),
    );
    server.listen({ path: parts.path }, () => {
      chmodSync(parts.path, 0o600);
      resolve(success({ close: (ms) => closeAll(server, open, ms) }));
    });
  });
}

async function admit(socket: Socket, parts: SocketParts, attachments: Attachments): Promise<Connection | null> {
  if (!(await isOwnPeer(socket, parts.peerPath))) socket.destroy();
  if (socket.destroyed) return null;
  socket.once('close', () => parts.session.unobserve());
  await parts.session.observe();
  return socket.destroyed ? null : new Connection(socket, parts, attachments);
}

async function closeAll(server: Server, open: ReadonlyMap<Socket, Connection | null>, ms: number): Promise<void> {
  server.close();
  const closed = [...open.keys()].map(
    (socket) => new Promise<void>((resolve) => socket.once('close', () => resolve())),
  );
  for (const [socket, connection] of open) void Promise.resolve(connection?.finished).then(() => socket.end());
  await Promise.race([Promise.all(closed), sleep(ms)]);
  for (const socket of open.keys()) socket.destroy();
}

class Connection {
  /** Resolves when the last frames of an ended session are written. */
  finished: Promise<void> = Promise.resolve();
  readonly #socket: Socket;
  readonly #session: HostedSession;
  readonly #attachments: Attachments;
  readonly #frames = new FrameDecoder(SESSION_LIMITS);
  #attachment: Attachment | null = null;
  #viewer: Viewer | null = null;
  #offered: OfferedApi | null = null;
  #deadline: NodeJS.Timeout | null = null;
  readonly #stopListening: () => void;
  readonly #record: RecordVisit;
  /** Aborts when the connection is closed. */
  readonly #gone = new AbortController();
  #visitor: Visitor | null = null;

  constructor(socket: Socket, { session, journal }: SocketParts, attachments: Attachments) {
    this.#socket = socket;
    this.#session = session;
    this.#attachments = attachments;
    this.#record = recordVisits(session, journal);
    this.#stopListening = session.onEnded((ending) => {
      const viewer = this.#viewer;
      if (viewer !== null) this.finished = viewer.finish().then(() => viewer.send({ event: 'ended', ...ending }));
    });
    socket.on('data', (chunk: Buffer) => this.#take(chunk));
    socket.on('close', () => this.#leave());
    this.#allow(FIRST_FRAME_MS);
    socket.resume();
  }

  #take(chunk: Buffer): void {
    try {
      const frames = this.#frames.take(chunk);
      if (!this.#frames.isAmidFrame) this.#allow(null);
      else if (frames.length > 0 || this.#deadline === null) this.#allow(WHOLE_FRAME_MS);
      for (const frame of frames) this.#read(frame);
    } catch (error) {
      if (!(error instanceof BadFrame)) throw error;
      this.#socket.destroy();
    }
  }

  /** Closes the connection if no complete frame comes within this time; null: no limit. */
  #allow(ms: number | null): void {
    if (this.#deadline !== null) clearTimeout(this.#deadline);
    this.#deadline = ms === null ? null : setTimeout(() => this.#socket.destroy(), ms);
  }

  #read(frame: Frame): void {
    if (frame.type === 'J') {
      const asked = readRequestFrame(frame.payload);
      void this.#answer(asked).then((result) => this.#reply(asked.id, result));
    } else if (frame.type === 'L') {
      const asked = readListFrame(frame.payload);
      void (asked.request === 'deliver' ? this.#deliver(asked) : this.#answerReport(asked));
    } else if (frame.type === 'K' && this.#attachment !== null) this.#attachment.type(frame.payload);
    else throw new BadFrame(`unexpected frame ${frame.type}`);
  }

  #reply(id: number, result: Result<unknown, Failure>): void {
    if (this.#socket.writableLength > UNREAD_BYTES) this.#socket.destroy();
    else this.#socket.write(answeredFrame(id, result));
  }

  /** Answers an `apes hooks report` that runs without Node. If the status is not 0, the launcher starts Node for the report. */
  async #answerReport(asked: RequestFrame): Promise<void> {
    const heard = await this.#answer(asked);
    this.#socket.write(encodeFrame('q', Uint8Array.of(heard.ok ? 0 : EXIT_STATUS[heard.failure.code])));
  }

  /** Answers an `apes send` that runs without Node: sends the launcher the text to print, and then the exit status. */
  async #deliver({ id, params }: RequestFrame): Promise<void> {
    const { mode, session, isJson } = params;
    const request = mode === 'nudge' ? 'nudge' : 'send';
    const sent = (await this.#answer({ id, request, params })) as Result<SendReport, Failure>;
    const { out, err, status } = sendText(String(session), sent, isJson === true);
    this.#socket.write(
      Buffer.concat([encodeFrame('o', out), encodeFrame('e', err), encodeFrame('q', Uint8Array.of(status))]),
    );
  }

  async #answer({ request, params }: RequestFrame): Promise<Result<unknown, Failure>> {
    try {
      switch (request) {
        case 'watch':
          return this.#viewFault(params) ?? this.#watch(params['isRendered'] === true);
        case 'attach':
          return this.#viewFault(params) ?? this.#attach(sizeOf(params), visitorOf(params));
        case 'resize':
          return this.#resize(sizeOf(params));
        case 'offer':
          return this.#offer(params['harness']);
        case 'delivered':
          return this.#offered?.answered(params) ?? failed(failure('usage', 'nothing was offered here'));
        case 'kill':
          this.#record('session.killed', visitorOf(params)); // a full disk must not prevent the kill
          return success(await this.#session.end());
      }
      const known = Object.hasOwn(SESSION_REQUESTS, request) ? SESSION_REQUESTS[request] : undefined;
      if (known === undefined) return failed(failure('usage', `a session knows no request ${JSON.stringify(request)}`));
      return await known(this.#session, params, this.#gone.signal);
    } catch (error) {
      return failed(failure('software', `the session's host failed at ${request} (${String(error)})`));
    }
  }

  #viewFault(params: Readonly<Record<string, unknown>>): Result<unknown, Failure> | null {
    if (this.#viewer !== null)
      return failed(failure('usage', 'this connection watches the session or has a terminal attached already'));
    if (!this.#session.isOwnTerminal(params['device'])) return null;
    return failed(
      failure(
        'usage',
        'this terminal is inside that session',
        'look at the session from another terminal',
        'session.own',
      ),
    );
  }

  #watch(isRendered: boolean): Result<unknown, Failure> {
    const viewer = isRendered
      ? new ScreenViewer(this.#session, this.#socket)
      : new WatchingViewer(this.#session, this.#socket);
    this.#viewer = viewer;
    this.#session.viewers.add(viewer);
    this.#greet();
    if (viewer instanceof ScreenViewer) void viewer.look();
    else void viewer.paint(true);
    return success({ ...this.#session.size });
  }

  /** Attaches a terminal. Fails if the journal cannot record the attachment: the journal must show who can type in the session. */
  #attach(size: TerminalSize | null, visitor: Visitor): Result<unknown, Failure> {
    if (size === null)
      return failed(failure('usage', 'the size of the terminal is missing or wrong: columns and rows are 1 to 1000'));
    const unrecorded = this.#record('session.attached', visitor);
    if (unrecorded !== null) return failed(unrecorded);
    this.#visitor = visitor;
    this.#attachment = this.#attachments.add(this.#socket, size);
    this.#viewer = this.#attachment.viewer;
    this.#greet();
    void this.#attachment.viewer.paint(true);
    return success({ ...this.#session.size });
  }

  /** Sends `joined`. If the program has ended already, also sends `ended`. */
  #greet(): void {
    const { size, name, id } = this.#session;
    this.#viewer?.send({ event: 'joined', id, name, ...size });
    if (this.#session.isEnded) this.#session.onEnded((ending) => this.#viewer?.send({ event: 'ended', ...ending }));
  }

  #resize(size: TerminalSize | null): Result<unknown, Failure> {
    if (this.#attachment === null || size === null) return failed(failure('usage', 'no terminal is attached here'));
    this.#attachment.resize(size);
    return success(null);
  }

  /** Accepts one offer at a time. The session's agent may run a second agent, which must not get the messages. */
  #offer(harness: unknown): Result<unknown, Failure> {
    if (typeof harness !== 'string' || !this.#session.activity.claim(harness))
      return failed(failure('usage', 'not the agent of this session'));
    if (this.#session.api !== null) return failed(failure('usage', 'an agent offers its API here already'));
    this.#offered = new OfferedApi(harness, (event) => {
      if (this.#socket.destroyed || !this.#socket.writable) return false;
      this.#socket.write(jsonFrame(event));
      return true;
    });
    this.#session.api = this.#offered;
    return success(null);
  }

  #leave(): void {
    this.#allow(null);
    this.#gone.abort();
    if (this.#visitor !== null) this.#record('session.left', this.#visitor);
    this.#stopListening();
    if (this.#offered !== null) this.#session.api = null;
    this.#offered?.close();
    if (this.#attachment !== null) this.#attachments.remove(this.#attachment);
    else if (this.#viewer !== null) this.#session.viewers.remove(this.#viewer);
    this.#viewer = null;
  }
}

/** Returns the size if it has 1 to 1,000 columns and rows, else null. */
function sizeOf(params: Readonly<Record<string, unknown>>): TerminalSize | null {
  const { columns, rows } = params;
  return isCount(columns) && isCount(rows) ? { columns, rows } : null;
}

const isCount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= 1_000;
