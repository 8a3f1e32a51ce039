/** Starts the resident gate for later calls. Does nothing if a resident gate listens already. */
import { rmSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { gateSocketPath, type Paths, PLACE_VARIABLES } from '../platform/paths.ts';

const INHERITED_VARIABLES = [...PLACE_VARIABLES, 'PATH', 'TZ'];

/**
 * Starts the resident gate in a session of its own. Does not wait until the gate listens. A failure only makes the next call slower.
 * @param dist the directory of this package's built files
 */
export async function startResident(
  paths: Paths,
  environment: ReadonlyMap<string, Buffer>,
  dist: string,
): Promise<void> {
  if (await isListening(gateSocketPath(paths))) return;
  const { spawn } = await import('node:child_process');
  const env = Object.fromEntries(
    INHERITED_VARIABLES.flatMap((name) => {
      const value = environment.get(name)?.toString('utf8');
      return value === undefined ? [] : [[name, value]];
    }),
  );
  try {
    const child = spawn(join(dist, 'bin', 'apes'), ['gate'], { detached: true, stdio: 'ignore', env, cwd: '/' });
    child.on('error', () => undefined);
    child.unref();
  } catch {
    // For example, the limit of processes is reached. Later calls then work without a resident gate.
  }
}

function isListening(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    const answer = (isThere: boolean) => {
      socket.destroy();
      resolve(isThere);
    };
    socket.on('connect', () => answer(true));
    socket.on('error', () => answer(false));
  });
}

/** Removes the socket of the resident gate. The gate then gets no more calls, and ends within about three seconds. */
export function dismissResident(paths: Paths): void {
  rmSync(gateSocketPath(paths), { force: true });
}
