/** One persistent connection at the server's end. Frames as in `platform/frames.ts`, JSON inside, the shapes in `core/wire/connection.ts`. */
import type { Socket } from 'node:net';
import { API_VERSION, KEPT_CONNECTION } from '../../core/api-protocol.ts';
import { type ConnectionAnswer, type ConnectionCall, ConnectionCallSchema } from '../../core/wire/connection.ts';
import { FrameDecoder } from '../../platform/frame-decoder.ts';
import { encodeFrame } from '../../platform/frames.ts';
import type { PermitSigner } from '../grants/permit-token.ts';
import { ASK_BODY_LIMIT } from './limits.ts';
import type { Reply } from './reply.ts';
import { guardOf } from './validation.ts';

/** A call is a body with a little around it. */
const CALL_LIMITS = { q: ASK_BODY_LIMIT + 4096 };
/** More calls than these wait in the socket. */
const MAX_AT_ONCE = 32;

/** Never rejects. `signer`: of permits in the reply. */
export type Calls = (call: ConnectionCall, signer: PermitSigner) => Promise<Reply>;

/**
 * @property subjectId whose connection it is
 * @property signer    of the permits on it
 * @property headers   of the answer that begins it, each with its end of line
 */
export interface Keeping {
  readonly subjectId: string;
  readonly signer: PermitSigner;
  readonly headers: string;
}

export class ServedConnection {
  readonly #keeping: Keeping;
  readonly #socket: Socket;
  readonly #calls: Calls;
  readonly #decoder = new FrameDecoder(CALL_LIMITS);
  #underWay = 0;
  #isFinishing = false;

  constructor(socket: Socket, keeping: Keeping, calls: Calls, onEnd: () => void) {
    this.#socket = socket;
    this.#keeping = keeping;
    this.#calls = calls;
    socket.once('close', onEnd);
  }

  get subjectId(): string {
    return this.#keeping.subjectId;
  }

  start(head: Buffer): void {
    const socket = this.#socket;
    socket.removeAllListeners('timeout');
    socket.setTimeout(0);
    socket.setNoDelay(true);
    socket.setKeepAlive(true, 60_000);
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${KEPT_CONNECTION}\r\nape-api: ${API_VERSION}\r\n${this.#keeping.headers}\r\n`,
    );
    socket.on('data', (chunk: Buffer) => this.#take(chunk));
    socket.on('end', () => socket.end());
    if (head.length > 0) this.#take(head);
    socket.resume();
  }

  /** Answers what is under way, then ends. */
  finish(): void {
    this.#isFinishing = true;
    this.#socket.pause();
    if (this.#underWay === 0) this.#socket.destroySoon();
  }

  #take(chunk: Buffer): void {
    for (const call of this.#decoder.takeOrNull(chunk)?.map(({ payload }) => readCall(payload)) ?? [null]) {
      if (call === null) return void this.#socket.destroy();
      void this.#answer(call);
    }
  }

  async #answer(call: ConnectionCall): Promise<void> {
    this.#underWay += 1;
    if (this.#underWay >= MAX_AT_ONCE) this.#socket.pause();
    const { status, body } = await this.#calls(call, this.#keeping.signer);
    this.#underWay -= 1;
    const answer: ConnectionAnswer = { id: call.id, status, ...(body === undefined ? {} : { body }) };
    if (!this.#socket.destroyed) this.#socket.write(encodeFrame('a', JSON.stringify(answer)));
    // Whoever is not known any more does not keep the connection either.
    if (status === 401) this.#isFinishing = true;
    if (this.#isFinishing) this.finish();
    else if (this.#underWay < MAX_AT_ONCE) this.#socket.resume();
  }
}

const isCall = guardOf(ConnectionCallSchema);

/** Null for what is no call. */
function readCall(payload: Buffer): ConnectionCall | null {
  let value: unknown;
  try {
    value = JSON.parse(payload.toString('utf8'));
  } catch {
    return null;
  }
  return isCall(value) ? value : null;
}
