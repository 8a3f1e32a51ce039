/** Whether the process at the other end of a socket runs as our user: the kernel's word, fetched by `bin/peer-uid.c`. */
import { spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import { coveredStdio } from '../pty/covered-descriptors.ts';

const PATIENCE_MS = 5_000;

/** False also when it cannot be told. The socket must not have been read from (`pauseOnConnect`). */
export function isOwnPeer(socket: Socket, peerPath: string): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(peerPath, [], {
      stdio: coveredStdio<Socket | 'ignore'>([socket, 'ignore', 'ignore']),
      env: {},
      cwd: '/',
      timeout: PATIENCE_MS,
      killSignal: 'SIGKILL',
    });
    child.on('error', () => resolve(false));
    child.on('exit', (status) => resolve(status === 0));
  });
}
