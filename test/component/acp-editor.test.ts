/** How the editor of the certification ends, by which a case judges an agent. */
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';

const EDITOR = path.resolve(import.meta.dirname, '../../src/certify/acp-editor.mjs');

it.each([
  [0, 1],
  [3, 3],
])('an agent that ends with %i before it answers makes the editor end with %i', (status, ends) => {
  const words = [EDITOR, tmpdir(), 'hello', 'sh', '-c', `read line; exit ${status}`];
  expect(spawnSync(process.execPath, words, { encoding: 'utf8', timeout: 60_000 }).status).toBe(ends);
});
