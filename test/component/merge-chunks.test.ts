/** The merged chunks of a build do the same as the chunks of esbuild, in fewer files. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, expect, it } from 'vitest';
import { mergeChunks } from '../../scripts/merge-chunks.mjs';

const scratch = mkdtempSync(join(tmpdir(), 'ape-chunks-'));
afterAll(() => rmSync(scratch, { recursive: true }));

const SOURCES = {
  'state.js':
    'export const state = { count: 0 }; export let last = ""; export const note = (text) => { state.count++; last = text; };',
  'side.js': 'import { note } from "./state.js"; note("side");',
  'both.js': 'import { note } from "./state.js"; export const both = (who) => note(who);',
  'late.js':
    'import { last, state } from "./state.js"; import { only } from "./only.js"; export const said = () => [last, state.count, only];',
  'only.js': 'import "./side.js"; export const only = import.meta.url.length > 0;',
  'first.js':
    'import { only } from "./only.js"; import { both } from "./both.js"; both("first"); const { said } = await import("./late.js"); console.log(...said(), only); export { only };',
  'second.js':
    'import { both } from "./both.js"; import { last } from "./state.js"; both("second"); const { said } = await import("./late.js"); console.log(last, ...said());',
};

/** Writes the files into a directory, and returns what each entry point prints. */
function printed(directory: string, files: readonly { path: string; contents: string | Uint8Array }[]): string[] {
  mkdirSync(directory);
  for (const { path, contents } of files) writeFileSync(join(directory, basename(path)), contents);
  return ['first.mjs', 'second.mjs'].map((name) => {
    const { stdout, stderr } = spawnSync(process.execPath, [join(directory, name)], { encoding: 'utf8' });
    return stdout + stderr;
  });
}

it('merges what the same entry points load; each module is still evaluated once, and its variables stay shared', async () => {
  for (const [name, text] of Object.entries(SOURCES)) writeFileSync(join(scratch, name), text);
  const { outputFiles, metafile } = await build({
    entryPoints: ['first', 'second'].map((name) => join(scratch, `${name}.js`)),
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    write: false,
    metafile: true,
    outdir: join(scratch, 'out'),
    outExtension: { '.js': '.mjs' },
  });
  const entries = new Set(
    Object.entries(metafile.outputs).flatMap(([path, each]) => (each.entryPoint ? basename(path) : [])),
  );
  const merged = await mergeChunks(outputFiles, ['first.mjs', 'second.mjs'], (path) => entries.has(basename(path)));
  const wanted = ['first 2 true true\n', 'side side 2 true\n'];
  expect(printed(join(scratch, 'split'), outputFiles)).toEqual(wanted);
  expect(printed(join(scratch, 'merged'), merged)).toEqual(wanted);
});

it('lets `apes` load at most five files for a command', () => {
  const lazy = 'dist/lazy';
  const loaded = new Set(['command-line.cjs']);
  for (const name of loaded)
    for (const [, next = ''] of readFileSync(join(lazy, name), 'utf8').matchAll(/=require\("\.\/([^"]+)"\)/g))
      loaded.add(next);
  expect(readdirSync(lazy).length).toBeGreaterThan(20);
  expect([...loaded].length).toBeGreaterThan(1);
  expect([...loaded].length).toBeLessThanOrEqual(5);
});
