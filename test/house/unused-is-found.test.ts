/** knip, with our configuration, finds unused code of each kind in a project that has one example of each. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

const FILES: Readonly<Record<string, string>> = {
  'package.json': JSON.stringify({ name: 'planted', type: 'module', dependencies: { 'left-over': '1.0.0' } }),
  'src/main/begin.ts': "import { used } from '../core/parts.ts';\n\nused();\n",
  'src/core/parts.ts':
    'export const used = (): void => lonely();\nexport function lonely(): void {}\nexport interface Shape {}\n',
  'src/core/forgotten.ts': 'export const nothing = 1;\n',
};

let directory = '';
let report = '';

beforeAll(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'ape-unused-'));
  for (const [name, text] of Object.entries(FILES)) {
    mkdirSync(path.dirname(path.join(directory, name)), { recursive: true });
    writeFileSync(path.join(directory, name), text);
  }
  cpSync(path.join(root, 'knip.json'), path.join(directory, 'knip.json'));
  const knip = path.join(root, 'node_modules/knip/bin/knip.js');
  const { stdout, stderr } = spawnSync(process.execPath, [knip, '--reporter', 'compact'], {
    cwd: directory,
    encoding: 'utf8',
  });
  report = stdout + stderr;
});

afterAll(() => rmSync(directory, { recursive: true, force: true }));

it.each([
  ['a file', 'src/core/forgotten.ts'],
  ['an export', 'src/core/parts.ts: lonely'],
  ['an exported type', 'src/core/parts.ts: Shape'],
  ['a dependency', 'package.json: left-over'],
])('knip reports %s that no code uses', (_fault, line) => {
  expect(report).toContain(line);
});
