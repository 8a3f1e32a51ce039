/**
 * Asks the kernel, through `bin/peer-uid.c`, whether the process at the other end of a socket runs as our user.
 */
import { spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import { coveredStdio } from '../../pty/covered-descriptors.ts';

const TIMEOUT_MS = 5_000;

/** The descriptor on which `peer-uid` expects the socket. */
const PEER_DESCRIPTOR = 3;

/**
 * Whether the other process runs as our user; false if this is unknown. Call this function before you read from the socket
 * (`pauseOnConnect`).
 * @param peerPath the path of the program `peer-uid`
 */
export function isOwnPeer(socket: Socket, peerPath: string): Promise<boolean> {
  return new Promise((resolve) => {
    // Node makes descriptors 0 to 2 of a child blocking. The child shares the socket with us, so our descriptor would become blocking too.
    // Therefore the child gets the socket as descriptor 3.
    const stdio = coveredStdio<Socket | 'ignore'>(['ignore', 'ignore', 'ignore']) as (Socket | 'ignore')[];
    stdio[PEER_DESCRIPTOR] = socket;
    const child = spawn(peerPath, [], {
      stdio,
      env: {},
      cwd: '/',
      timeout: TIMEOUT_MS,
      killSignal: 'SIGKILL',
    });
    child.on('error', () => resolve(false));
    child.on('exit', (status) => resolve(status === 0));
  });
}
