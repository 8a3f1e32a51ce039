/** Runs code while this process cannot open another file (EMFILE). */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline/promises';
import { expect } from 'vitest';

/** Sets the limit of open files of its parent: at the first line so low that no further file can be opened, then as before. */
const LIMITER =
  'read; prlimit --pid $PPID --nofile=3: && echo low; read; prlimit --pid $PPID --nofile=$(ulimit -Sn): && echo high';

/** Calls `look` while this process cannot open a file, and until its result is there. */
export async function withoutFiles<T>(look: () => T | Promise<T>): Promise<T> {
  const limiter = spawn('bash', ['-c', LIMITER], { stdio: ['pipe', 'pipe', 'inherit'] });
  const said = createInterface({ input: limiter.stdout })[Symbol.asyncIterator]();
  limiter.stdin.write('\n');
  expect(await said.next()).toMatchObject({ value: 'low' });
  try {
    return await look();
  } finally {
    limiter.stdin.end('\n');
    expect(await said.next()).toMatchObject({ value: 'high' });
  }
}
