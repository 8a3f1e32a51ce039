/**
 * Whether the process at the other end of a socket runs as our user: as the kernel reports it through `bin/peer-uid.c`.
 */
import { spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import { coveredStdio } from '../../pty/covered-descriptors.ts';

const TIMEOUT_MS = 5_000;

/** Where `peer-uid` finds the socket. */
const PEER_DESCRIPTOR = 3;

/** Returns false also if the answer is unknown. The socket must be unread (`pauseOnConnect`). */
export function isOwnPeer(socket: Socket, peerPath: string): Promise<boolean> {
  return new Promise((resolve) => {
    // Not below 3: Node makes those descriptors of a child blocking, and with them this very socket, which we share.
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
