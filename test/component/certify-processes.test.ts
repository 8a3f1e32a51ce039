/** How a program of the certification ends, and what is said about its end. */
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { removeDirectory } from '../../scripts/remove-directory.mjs';
import { runProgram } from '../../src/certify/processes.mjs';

it('a program that has ended by itself keeps its exit status, also if its time ends shortly after', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ape-processes-'));
  const enough = new AbortController();
  const timer = setInterval(() => {
    const pid = existsSync(join(folder, 'pid')) ? readFileSync(join(folder, 'pid'), 'utf8').trim() : '';
    if (pid !== '' && !existsSync(`/proc/${pid}`)) enough.abort();
  }, 1);
  try {
    const argv = ['-c', 'echo $$ > pid; exit 3'];
    const run = await runProgram('sh', argv, {
      cwd: folder,
      env: process.env,
      timeoutMs: 60_000,
      enough: enough.signal,
    });
    expect(run).toMatchObject({ status: 3, isTimedOut: false });
  } finally {
    clearInterval(timer);
    removeDirectory(folder);
  }
});
