/** Files of the build load the files beside them in the same way, once, and also without compiled code or with damaged compiled code. */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { compiled } from '../../scripts/compile-cache.mjs';
import { removeDirectory } from '../../scripts/remove-directory.mjs';
import { loadBuilt } from '../../src/platform/built-file.ts';

const root = mkdtempSync(join(tmpdir(), 'ape-built-'));
afterAll(() => removeDirectory(root));

const INTERACTIVE = `
  exports.name = require('./after-prompt.cjs').name;
  exports.again = () => require('./after-prompt.cjs');
  exports.base = require('node:path').basename(__filename);
  exports.directory = __dirname;`;
const AFTER_PROMPT = `globalThis.apeLoads = (globalThis.apeLoads ?? 0) + 1; exports.name = 'later é'; exports.loads = globalThis.apeLoads;`;

interface Loaded {
  readonly name: string;
  readonly again: () => { readonly loads: number };
  readonly base: string;
  readonly directory: string;
}

function build(cache: 'none' | 'made' | 'damaged'): string {
  const directory = mkdtempSync(join(root, 'main-'));
  const files = { 'after-prompt.cjs': AFTER_PROMPT, 'interactive.cjs': INTERACTIVE };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
  for (const [name, text] of Object.entries(files)) {
    const { path, contents } = compiled({ path: join(directory, name), text });
    if (cache !== 'none') writeFileSync(path, cache === 'made' ? contents : contents.fill(7));
  }
  return directory;
}

it.each(['none', 'made', 'damaged'] as const)('compiled code: %s', (cache) => {
  const directory = build(cache);
  const first = loadBuilt<Loaded>(directory, 'interactive');
  expect(first).toMatchObject({ name: 'later é', base: 'interactive.cjs', directory });
  const { loads } = first.again();
  expect(loadBuilt<Loaded>(directory, 'interactive')).toBe(first);
  expect(first.again().loads).toBe(loads);
});

it('a package that is no part of the build is not looked up in the directories above', () => {
  const directory = build('none');
  const planted = join(root, 'node_modules', 'supports-color');
  mkdirSync(planted, { recursive: true });
  writeFileSync(join(planted, 'index.js'), 'globalThis.apeWasRun = true;');
  writeFileSync(
    join(directory, 'one-shot.cjs'),
    `try { require('supports-color'); } catch (error) { exports.code = error.code; }`,
  );
  expect(loadBuilt(directory, 'one-shot')).toEqual({ code: 'MODULE_NOT_FOUND' });
  expect(globalThis).not.toHaveProperty('apeWasRun');
});
