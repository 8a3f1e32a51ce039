/** A private file that is no plain file is refused at once. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { bundleWorker } from '../contract/worker.ts';

it('a FIFO in place of a private file is refused, and no writer is waited for', () => {
  const directory = mkdtempSync(join(tmpdir(), 'ape-private-'));
  const file = join(directory, 'file');
  spawnSync('mkfifo', ['-m', '600', file]);
  const workers = bundleWorker('src/platform/private-files.ts');
  const call = `import { readPrivateFile } from ${JSON.stringify(workers.script)};
    console.log(JSON.stringify(readPrivateFile(${JSON.stringify(file)})));`;
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', call], {
    encoding: 'utf8',
    timeout: 10_000,
    killSignal: 'SIGKILL',
  });
  workers.remove();
  rmSync(directory, { recursive: true });
  expect(JSON.parse(stdout)).toMatchObject({
    ok: false,
    failure: { message: expect.stringContaining('not a plain file') },
  });
});
