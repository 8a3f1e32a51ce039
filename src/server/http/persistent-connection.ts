/** The server's end of one persistent connection. Each frame (`platform/frames.ts`) contains JSON as in `core/wire/connection.ts`. */
import { isUtf8 } from 'node:buffer';
import type { Socket } from 'node:net';
import { API_VERSION, PERSISTENT_CONNECTION } from '../../core/api-protocol.ts';
import { type ConnectionAnswer, type ConnectionCall, ConnectionCallSchema } from '../../core/wire/connection.ts';
import { FrameDecoder } from '../../platform/frame-decoder.ts';
import { encodeFrame } from '../../platform/frames.ts';
import type { HeldBytes } from '../budgets.ts';
import type { PermitSigner } from '../grants/permit-token.ts';
import {
  MAX_ASK_BODY_BYTES,
  MAX_FRAME_MS,
  MAX_HELD_BYTES_PER_REQUESTER,
  MAX_LAST_ANSWERS_MS,
  MAX_UNREAD_ANSWER_BYTES,
} from '../limits.ts';
import type { Reply } from './reply.ts';
import { guardOf } from './validation.ts';

/** The most bytes of a call: its body, and 4,096 bytes for the other members. */
const CALL_LIMITS = { q: MAX_ASK_BODY_BYTES + 4096 };
/** The most calls that run at the same time. While further calls wait, the server reads nothing more from the client. */
const MAX_AT_ONCE = 32;

const FINISH_SOON_MS = 300;

/** Answers one call. The promise never rejects. */
export type Calls = (call: ConnectionCall, peer: ConnectionPeer) => Promise<Reply>;

/**
 * The other end of the connection.
 * @property subjectId the id of the requester
 * @property publicKey the value of `Subject.publicKey` when the connection began
 * @property signer    signs the permits that go over the connection
 * @property held      counts the bytes of incomplete and of waiting calls
 * @property headers   headers of the answer that begins the connection, each with its CRLF
 */
export interface ConnectionPeer {
  readonly subjectId: string;
  readonly publicKey: string | null;
  readonly signer: PermitSigner;
  readonly held: Pick<HeldBytes, 'hold' | 'release'>;
  readonly headers: string;
}

/**
 * Reads calls from the socket and writes their answers. Closes the connection if a frame or a call is malformed, if a frame takes longer
 * than `MAX_FRAME_MS`, or if too many bytes are held. Calls `onEnd` once, when the connection has closed.
 */
export class ServedConnection {
  readonly #peer: ConnectionPeer;
  readonly #socket: Socket;
  readonly #calls: Calls;
  readonly #decoder = new FrameDecoder(CALL_LIMITS);
  /** Payloads of calls that wait for their turn. */
  readonly #waiting: Buffer[] = [];
  #waitingBytes = 0;
  /** The number of bytes that `peer.held` counts now for this connection. */
  #held = 0;
  #frameTimer: NodeJS.Timeout | null = null;
  #finishTimer: NodeJS.Timeout | null = null;
  #lastAnswersTimer: NodeJS.Timeout | null = null;
  #underWay = 0;
  #isFinishing = false;

  constructor(socket: Socket, peer: ConnectionPeer, calls: Calls, onEnd: () => void) {
    this.#socket = socket;
    this.#peer = peer;
    this.#calls = calls;
    const end = () => {
      this.#waiting.length = 0;
      this.#hold(0);
      this.#timeFrame(false);
      if (this.#finishTimer !== null) clearTimeout(this.#finishTimer);
      if (this.#lastAnswersTimer !== null) clearTimeout(this.#lastAnswersTimer);
      onEnd();
    };
    socket.once('close', end);
    if (socket.closed) setImmediate(end); // the client left before the listener was added
  }

  get subjectId(): string {
    return this.#peer.subjectId;
  }

  get publicKey(): string | null {
    return this.#peer.publicKey;
  }

  /**
   * Accepts the upgrade, and begins to read calls.
   * @param head bytes that the client has sent after its request
   */
  start(head: Buffer): void {
    const socket = this.#socket;
    socket.removeAllListeners('timeout');
    socket.setTimeout(0);
    socket.setNoDelay(true);
    socket.setKeepAlive(true, 60_000);
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${PERSISTENT_CONNECTION}\r\nape-api: ${API_VERSION}\r\n${this.#peer.headers}\r\n`,
    );
    socket.on('data', (chunk: Buffer) => this.#take(chunk));
    socket.on('end', () => socket.end());
    if (socket.readableEnded) socket.end(); // the client ended the connection during authentication, so no `end` event follows
    socket.on('drain', () => this.#goOn());
    if (head.length > 0) this.#take(head);
    socket.resume();
  }

  /**
   * Answers calls for a short time, then ends the connection. The client may be sending a call now. The answer to this call tells the
   * client that its requester was revoked, and so the client can report this.
   */
  finishSoon(): void {
    this.#finishTimer ??= setTimeout(() => this.finish(), FINISH_SOON_MS).unref();
  }

  /**
   * Answers the calls under way, then ends the connection. Calls that wait for their turn get no answer. Closes the connection after
   * `MAX_LAST_ANSWERS_MS`, also if the client has not read the answers.
   */
  finish(): void {
    this.#isFinishing = true;
    this.#lastAnswersTimer ??= setTimeout(() => this.#socket.destroy(), MAX_LAST_ANSWERS_MS).unref();
    this.#socket.pause();
    if (this.#underWay === 0) this.#socket.destroySoon();
  }

  /** Closes the connection at once, without answers. */
  destroy(): void {
    this.#socket.destroy();
  }

  #take(chunk: Buffer): void {
    const frames = this.#decoder.takeOrNull(chunk);
    if (frames === null) return void this.#socket.destroy();
    for (const { payload } of frames) {
      this.#waiting.push(payload);
      this.#waitingBytes += payload.length;
    }
    // Too many bytes close the connection without an answer, because an incomplete call has no id for an answer. The client then calls
    // over HTTP, and gets the refusal there.
    if (!this.#hold(this.#decoder.heldBytes + this.#waitingBytes)) return void this.#socket.destroy();
    if (frames.length > 0) this.#timeFrame(false);
    this.#goOn();
  }

  /** Sets the number of bytes held for this connection. Above the limit of this requester or of all callers, sets 0 and returns false. */
  #hold(bytes: number): boolean {
    const { held, subjectId } = this.#peer;
    held.release(subjectId, this.#held);
    this.#held = 0;
    if (bytes > 0 && held.hold(subjectId, bytes, MAX_HELD_BYTES_PER_REQUESTER) !== 'held') return false;
    this.#held = bytes;
    return true;
  }

  /** Starts or stops the timer for an incomplete frame. Without this timer, idle clients could hold memory. */
  #timeFrame(isAmid: boolean): void {
    if (isAmid === (this.#frameTimer !== null)) return;
    if (this.#frameTimer !== null) clearTimeout(this.#frameTimer);
    this.#frameTimer = isAmid ? setTimeout(() => this.#socket.destroy(), MAX_FRAME_MS) : null;
    this.#frameTimer?.unref();
  }

  #goOn(): void {
    if (this.#socket.destroyed) return; // bytes that are held from now on would never be released
    while (this.#underWay < MAX_AT_ONCE && !this.#isFinishing && !this.#isUnread) {
      const payload = this.#waiting.shift();
      if (payload === undefined) break;
      this.#waitingBytes -= payload.length;
      const call = readCall(payload);
      if (call === null) return void this.#socket.destroy();
      void this.#answer(call);
    }
    const takesMore = !this.#isFinishing && this.#waiting.length === 0 && !this.#isUnread;
    this.#hold(this.#decoder.heldBytes + this.#waitingBytes);
    this.#timeFrame(takesMore && this.#decoder.isAmidFrame);
    if (takesMore) this.#socket.resume();
    else this.#socket.pause();
  }

  /** Whether the client has left too many bytes of answers unread. */
  get #isUnread(): boolean {
    return this.#socket.writableLength > MAX_UNREAD_ANSWER_BYTES;
  }

  async #answer(call: ConnectionCall): Promise<void> {
    this.#underWay += 1;
    const { status, body } = await this.#calls(call, this.#peer);
    this.#underWay -= 1;
    const answer: ConnectionAnswer = { id: call.id, status, ...(body === undefined ? {} : { body }) };
    if (!this.#socket.destroyed) this.#socket.write(encodeFrame('a', JSON.stringify(answer)));
    // After a refused token the connection ends, but not at once: the client may have sent another call before it read this answer.
    if (status === 401) this.finishSoon();
    if (this.#isFinishing) this.finish();
    else this.#goOn();
  }
}

const isCall = guardOf(ConnectionCallSchema);

/** Returns null if the payload is not a call. */
function readCall(payload: Buffer): ConnectionCall | null {
  if (!isUtf8(payload)) return null;
  let value: unknown;
  try {
    value = JSON.parse(payload.toString('utf8'));
  } catch {
    return null;
  }
  return isCall(value) ? value : null;
}
