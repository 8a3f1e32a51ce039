/** Starts a program under `bin/leash.c`. When this process closes the control descriptor or ends, leash ends the program's group. */
import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { join } from 'node:path';

/**
 * Throws if this process cannot open another file.
 * @param directory the working directory of the program
 * @param dist      the directory with our built files
 * @param stdio     the program's three standard streams; descriptor 3 is the control descriptor
 */
export function spawnLeash(
  program: { readonly file: string; readonly argv: readonly string[] },
  directory: string,
  dist: string,
  stdio: readonly ('ignore' | 'pipe' | 'inherit')[],
): ChildProcess {
  const child = spawn(join(dist, 'bin', 'leash'), [directory, program.file, ...program.argv], {
    stdio: [...stdio, 'pipe'] as StdioOptions,
    cwd: '/',
    env: {},
    // The program gets its own POSIX session, so that the client's Ctrl-C does not reach the program.
    detached: true,
  });
  if ((child.stdio as unknown) !== undefined) return child;
  // Node does not throw EMFILE. Node returns a child without streams, and emits the error later.
  child.on('error', () => undefined);
  throw Object.assign(new Error('no file can be opened'), { code: 'EMFILE' });
}

/**
 * Makes the bytes that `leash` reads first from the control descriptor: the environment, and the profile that confines the program.
 * @param profile null or empty: the program runs unconfined
 */
export function leashStart(variables: ReadonlyMap<string, Buffer>, profile: Uint8Array | null): Buffer {
  const parts = [...variables].flatMap(([name, value]) => [Buffer.from(`${name}=`), value, Buffer.of(0)]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(profile?.length ?? 0);
  return Buffer.concat([...parts, Buffer.of(0), length, profile ?? Buffer.alloc(0)]);
}
