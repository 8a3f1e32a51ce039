/** ES modules of a build do the same as CommonJS. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { asCommonJs } from '../../scripts/common-js.mjs';

const scratch = mkdtempSync(join(tmpdir(), 'ape-common-'));
afterAll(() => rmSync(scratch, { recursive: true }));

const SOURCES = {
  'state.cjs': 'export let count = 0; export const add = () => { count += 1; };',
  'late.cjs': 'import { count } from "./state.cjs"; export const seen = () => count; export default "given";',
  'one.cjs':
    'import { two } from "./two.cjs"; export function one() { return "one"; } export const both = () => one() + two();',
  'two.cjs': 'import { one } from "./one.cjs"; export const two = () => "two" + one();',
  'main.cjs': `
    import { readFileSync } from "node:fs";
    import { add, count } from "./state.cjs";
    import { both } from "./one.cjs";
    add();
    void import("./late.cjs").then((late) => {
      add();
      const own = readFileSync(new URL(import.meta.url)).length > 0;
      console.log(count, late.seen(), late.default, both(), own, (() => this === undefined)(), typeof require);
    });`,
};

it('variables stay shared, cycles work, and import.meta.url names the file', async () => {
  for (const [name, contents] of Object.entries(SOURCES)) {
    const { path, text } = await asCommonJs({ path: join(scratch, name), contents });
    writeFileSync(path, text);
  }
  const { stdout, stderr } = spawnSync(process.execPath, [join(scratch, 'main.cjs')], { encoding: 'utf8' });
  expect(stderr).toBe('');
  expect(stdout).toBe('2 2 given onetwoone true true function\n');
});

it('refuses a module that waits at its top level', async () => {
  await expect(asCommonJs({ path: 'x.cjs', contents: 'await import("./y.cjs");' })).rejects.toThrow(/await/i);
});

it('refuses a module that loads what it computes', async () => {
  await expect(asCommonJs({ path: 'x.cjs', contents: 'export const load = (name) => import(name);' })).rejects.toThrow(
    'computed',
  );
});
