/**
 * Runs random lines of file commands in random trees, and compares what they change, delete and print with what their effects contain. The
 * trees have links in all directions, directories in place of files, archives, and names that look like options.
 *
 *   APE_TEST_LINES=N APE_TEST_SEED=S npx vitest run --project fuzz test/fuzz/file-commands.test.ts
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runLines } from './file-runs.ts';
import { seeded } from './random.ts';

const LINES = Number(process.env['APE_TEST_LINES'] ?? 400);
const SEED = Number(process.env['APE_TEST_SEED'] ?? 82);

let root: string;
beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'ape-file-commands-')));
});
// A line may have made paths that are too long for rmSync.
afterAll(() => void spawnSync('rm', ['-rf', root]));

it('file commands change, delete and print only what their effects contain', () => {
  const { faults, bounded } = runLines(root, LINES, seeded(SEED));
  expect(faults.slice(0, 20).join('\n')).toBe('');
  expect(bounded).toBeGreaterThan(LINES / 12);
});
