/**
 * The socket of pty-leader. pty-leader connects twice: for bash's tick, and for bash's channel. On each connection, pty-leader first sends
 * a role letter and the nonce.
 */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import path from 'node:path';
import { randomHex } from './random-hex.ts';

/** In bytes. Every platform accepts a path of a Unix-domain socket up to this length. */
const MAX_PATH_LENGTH = 100;
const MAX_GREETING_LENGTH = 80;

/**
 * @property tick    carries only the gate's constant lines to bash
 * @property channel carries lines to the gate, and the gate's answers to bash
 */
export interface PrivateConnections {
  readonly tick: Socket;
  readonly channel: Socket;
}

export interface PrivateSocket {
  readonly path: string;
  readonly nonce: string;
  /**
   * Fulfilled when both connections are made and the socket is removed from the file system. Both connections are paused. Rejected at the
   * deadline if a connection is missing. `close` does not reject the promise earlier.
   */
  readonly connected: Promise<PrivateConnections>;
  /** Removes the socket from the file system. Existing connections stay open. */
  close(): void;
}

/**
 * Rejects if the socket cannot be made, or if its path is too long (`MAX_PATH_LENGTH`).
 * @param runtimeDirectory a directory of this user with mode 0700. The socket is in a new folder there, which is removed with the socket
 * @param deadlineMs       how long pty-leader may take for both connections
 */
export async function openPrivateSocket(runtimeDirectory: string, deadlineMs: number): Promise<PrivateSocket> {
  const folder = mkdtempSync(path.join(runtimeDirectory, 'pty-'));
  const socketPath = path.join(folder, 's');
  const server = createServer({ allowHalfOpen: false, pauseOnConnect: true });
  const close = () => {
    server.close();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    chmodSync(folder, 0o700);
    if (Buffer.byteLength(socketPath) > MAX_PATH_LENGTH)
      throw new Error(`${socketPath}: longer than ${MAX_PATH_LENGTH} bytes; choose a shorter runtime directory`);
    const nonce = randomHex(24);
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ path: socketPath, backlog: 4 }, resolve);
    });
    return { path: socketPath, nonce, close, connected: awaitBoth(server, nonce, deadlineMs).finally(close) };
  } catch (error) {
    close();
    throw error;
  }
}

function awaitBoth(server: Server, nonce: string, deadlineMs: number): Promise<PrivateConnections> {
  return new Promise((resolve, reject) => {
    let tick: Socket | null = null;
    let channel: Socket | null = null;
    const timer = setTimeout(() => {
      tick?.destroy();
      channel?.destroy();
      reject(new Error(`the shell did not start within ${deadlineMs} ms`));
    }, deadlineMs);
    server.on('connection', (socket) => {
      void greetingOf(socket, nonce).then((role) => {
        if (role === 'T' && tick === null) tick = socket;
        else if (role === 'C' && channel === null) channel = socket;
        else socket.destroy();
        if (tick === null || channel === null) return;
        clearTimeout(timer);
        resolve({ tick, channel });
      });
    });
  });
}

/** Returns the role letter: `T` for the tick, `C` for the channel. Returns null if the greeting is incomplete, or if its nonce is wrong. */
function greetingOf(socket: Socket, nonce: string): Promise<string | null> {
  return new Promise((resolve) => {
    let bytes: Buffer = Buffer.alloc(0);
    const settle = (role: string | null) => {
      socket.off('data', take);
      socket.pause();
      resolve(role);
    };
    const take = (chunk: Buffer) => {
      bytes = Buffer.concat([bytes, chunk]);
      if (bytes.length > MAX_GREETING_LENGTH) return settle(null);
      if (bytes[bytes.length - 1] !== 0x0a) return;
      const knows = isSame(bytes.subarray(1, -1), Buffer.from(nonce));
      settle(knows ? bytes.toString('latin1', 0, 1) : null);
    };
    socket.on('data', take);
    socket.once('error', () => settle(null));
    socket.once('close', () => settle(null));
    socket.resume();
  });
}

/** Compares in constant time. So the time does not reveal at which byte the two texts differ. */
function isSame(given: Buffer, expected: Buffer): boolean {
  let difference = given.length ^ expected.length;
  for (const [at, byte] of expected.entries()) difference |= byte ^ (given[at] ?? 0);
  return difference === 0;
}
