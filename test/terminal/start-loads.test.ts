/** Until bash starts, the interactive shell loads little code: the first prompt waits for this code. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, expect, test } from 'vitest';

const FILE = resolve('dist/main/interactive.cjs');
/** In bytes; 90,000 on 2026-11-30. The parser of bash lines, the rules and the client of the server are in other files. */
const MAX_SIZE = 120_000;

/** In a file, because `node -e` itself loads `node:crypto`. */
const LOADER = `
  const isLarge = (name) => /^NativeModule (?:child_process|crypto|http|https|tls)$/.test(name);
  const before = process.moduleLoadList.filter(isLarge);
  require(process.argv[2]);
  const files = Object.keys(require.cache).map((path) => path.split('/').at(-1));
  console.log(JSON.stringify({ files, builtin: process.moduleLoadList.filter(isLarge).slice(before.length) }));
`;

const scratch = mkdtempSync(join(tmpdir(), 'ape-loads-'));
afterAll(() => rmSync(scratch, { recursive: true }));

test('the file is small, and loads no other file of the build and none of the large modules of Node', () => {
  expect(statSync(FILE).size).toBeLessThan(MAX_SIZE);
  const loader = join(scratch, 'loader.js');
  writeFileSync(loader, LOADER);
  const { files, builtin } = JSON.parse(execFileSync(process.execPath, [loader, FILE], { encoding: 'utf8' })) as {
    readonly files: readonly string[];
    readonly builtin: readonly string[];
  };
  expect(files.filter((name) => name.endsWith('.cjs'))).toEqual(['interactive.cjs']);
  expect(builtin).toEqual([]);
});
