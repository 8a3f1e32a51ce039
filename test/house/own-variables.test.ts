/** The list of our own environment variables exists once. The build makes the C header from that list, and the header is up to date. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { ownVariablesHeader } from '../../scripts/own-variables.mjs';
import { isOwnVariable } from '../../src/core/variables/own-variables.ts';

const bin = fileURLToPath(new URL('../../bin/', import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), 'ape-own-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

it('the header is what the build makes from the list', async () => {
  expect(readFileSync(join(bin, 'own-variables.h'), 'utf8')).toBe(await ownVariablesHeader());
});

it('the launcher has no other list of variables', () => {
  const launcher = readFileSync(join(bin, 'launcher.c'), 'utf8');
  expect(launcher).toContain('own_prefixes');
  expect(launcher).not.toMatch(/strncmp\([^)]*"APES?_/);
  expect(readdirSync(bin).filter((name) => readFileSync(join(bin, name), 'utf8').includes('"APE_"'))).toEqual([
    'own-variables.h',
  ]);
});

it('C and TypeScript agree which names are our own variables', () => {
  const names = [
    'APE_WAIT',
    'APE_',
    'APES_USER',
    'APES_',
    'APES_HOME',
    'APES_HOMES',
    'APES_HOM',
    'APE',
    'APES',
    'XAPE_',
    'ape_x',
    'HOME',
    '',
  ];
  const launcher = readFileSync(join(bin, 'launcher.c'), 'utf8');
  const isOurs = /^static int is_ours\([\s\S]*?^}/m.exec(launcher)?.[0] ?? '';
  const source = join(scratch, 'ours.c');
  const main = 'int main(int n, char **v) { for (int i = 1; i < n; i++) puts(is_ours(v[i]) ? "1" : "0"); return 0; }';
  writeFileSync(
    source,
    `#include <stdio.h>\n#include <string.h>\n#include "${bin}own-variables.h"\n${isOurs}\n${main}\n`,
  );
  execFileSync(process.env.CC ?? 'cc', ['-Wall', '-Werror', source, '-o', join(scratch, 'ours')]);
  const entries = names.map((name) => `${name}=x`);
  const verdicts = execFileSync(join(scratch, 'ours'), entries, { encoding: 'utf8' }).trim().split('\n');
  expect(verdicts).toEqual(names.map((name) => (isOwnVariable(name) ? '1' : '0')));
});
