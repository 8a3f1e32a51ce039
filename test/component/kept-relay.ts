/** Stands between a client and a real server, and decides which answers on a kept connection go through. */
import { connect, createServer, type Server, type Socket } from 'node:net';
import type { KeptAnswer } from '../../src/core/wire.ts';
import { encodeFrame, takeFrames } from '../../src/platform/frames.ts';

/** What becomes of an answer: passed on, another in its place, swallowed (null), or the connection is cut. */
export type Passing = (answer: KeptAnswer) => KeptAnswer | null | 'cut';

export class KeptRelay {
  passing: Passing = (answer) => answer;
  readonly #server: Server;
  readonly #open = new Set<Socket>();

  static async to(port: number): Promise<KeptRelay> {
    const relay = new KeptRelay(port);
    await new Promise<void>((resolve) => relay.#server.listen(0, '127.0.0.1', resolve));
    return relay;
  }

  private constructor(port: number) {
    this.#server = createServer((near) => {
      const far = connect(port, '127.0.0.1');
      for (const socket of [near, far]) {
        this.#open.add(socket);
        socket.on('error', () => socket.destroy());
      }
      near.on('close', () => far.destroy());
      far.on('close', () => near.destroy());
      near.pipe(far);
      this.#relay(far, near);
    });
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as { port: number }).port}`;
  }

  async close(): Promise<void> {
    for (const socket of this.#open) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #relay(far: Socket, near: Socket): void {
    let bytes: Buffer = Buffer.alloc(0);
    let isKept = false;
    far.on('data', (chunk: Buffer) => {
      bytes = Buffer.concat([bytes, chunk]);
      const end = bytes.indexOf('\r\n\r\n');
      if (!isKept && end >= 0 && bytes.toString('latin1', 0, 12) === 'HTTP/1.1 101') {
        isKept = true;
        near.write(bytes.subarray(0, end + 4));
        bytes = bytes.subarray(end + 4);
      }
      if (isKept) bytes = this.#frames(bytes, near);
      else {
        near.write(bytes);
        bytes = Buffer.alloc(0);
      }
    });
  }

  #frames(bytes: Buffer, near: Socket): Buffer {
    const { frames, rest } = takeFrames(bytes);
    for (const { payload } of frames) {
      const passed = this.passing(JSON.parse(payload.toString()) as KeptAnswer);
      if (passed === 'cut') near.destroy();
      else if (passed !== null) near.write(encodeFrame('a', JSON.stringify(passed)));
    }
    return Buffer.from(rest);
  }
}
