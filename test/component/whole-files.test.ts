/**
 * A file that is replaced has its old text or the whole new text, also if the disk becomes full. A limit on the size of files stands for the
 * full disk: write(2) then writes only the first bytes and returns their number, and only the next write fails.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { removeDirectory } from '../../scripts/remove-directory.mjs';

const SOURCES = join(import.meta.dirname, '../../src');
const OLD = 'old\n';
let scratch: string;

/** Makes a program that calls `writePrivateFile`, `addToList` or `putAll` with a long text, and prints what it returns. */
beforeAll(() => {
  scratch = mkdtempSync(join(tmpdir(), 'ape-whole-files-'));
  buildSync({
    stdin: {
      contents: `
        import { mkdirSync } from 'node:fs';
        import { addToList } from './cli/shell/list.ts';
        import { putAll } from './harness/put-hooks.ts';
        import { writePrivateFile } from './platform/private-files.ts';
        const [, , kind, file] = process.argv;
        const long = '/' + 'x'.repeat(5000);
        const hookFile = { path: file, apply: () => ({ ok: true, value: long }), strip: () => ({ ok: true, value: '' }), lines: () => [] };
        const records = file + '-records';
        const owner = { harness: 'generic', scope: 'user', project: '/' };
        const write = {
          private: () => writePrivateFile(file, long),
          list: () => addToList(long, file),
          hooks: () => {
            mkdirSync(records, { mode: 0o700 });
            return putAll({ files: [hookFile], shim: null, advice: [] }, { records, owner, nowMs: 0 }, () => null);
          },
        };
        process.stdout.write(JSON.stringify(write[kind]()));
      `,
      resolveDir: SOURCES,
    },
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile: join(scratch, 'write.mjs'),
  });
});
afterAll(() => removeDirectory(scratch));

it.each([
  ['a private file', 'private'],
  ['a list of login shells', 'list'],
  ['the settings of a harness', 'hooks'],
])('a full disk leaves %s as it was, and the failure names the file', (_, kind) => {
  const file = join(scratch, kind);
  writeFileSync(file, OLD, { mode: 0o600 });
  const done = spawnSync(
    'bash',
    ['-c', 'ulimit -f 2; exec "$@"', 'bash', process.execPath, join(scratch, 'write.mjs'), kind, file],
    {
      encoding: 'utf8',
    },
  );
  expect(done).toMatchObject({ status: 0, stderr: '' });
  expect(done.stdout).toContain(`cannot write ${file} (EFBIG)`);
  expect(readFileSync(file, 'utf8')).toBe(OLD);
  expect(readdirSync(scratch).filter((name) => name.endsWith('.new'))).toEqual([]);
});
