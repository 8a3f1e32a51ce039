/**
 * Asks the kernel, through `bin/peer-uid.c`, whether the process at the other end of a socket runs as our user.
 */
import { spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import { coveredStdio } from '../../pty/covered-descriptors.ts';

const TIMEOUT_MS = 5_000;

/** Where `peer-uid` finds the socket. */
const PEER_DESCRIPTOR = 3;

/** Whether the other process runs as our user; false if the answer is unknown. Nothing of the socket may have been read (`pauseOnConnect`). */
export function isOwnPeer(socket: Socket, peerPath: string): Promise<boolean> {
  return new Promise((resolve) => {
    // The descriptor is not below 3: Node makes the lower ones of a child blocking, and so this socket, which we share, would become blocking.
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
