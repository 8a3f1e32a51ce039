/** `ape-shell/client` of the packed package: the examples of its page run, type-check, and load no code of the server. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { removeInstallation } from '../fixtures/remove-installation.ts';
import { ROOT } from './markdown.ts';

const text = readFileSync(path.join(ROOT, 'docs/client.md'), 'utf8');
const examples = new Map(
  [...text.matchAll(/```js\n\/\/ (\S+)\n([\s\S]*?)```/g)].map(([, name = '', code = '']) => [name, code]),
);
const apes = path.join(ROOT, 'dist/bin/apes');
let place: string;
let env: NodeJS.ProcessEnv;

const run = (program: string, list: readonly string[]) =>
  spawnSync(program, list, { cwd: place, env, encoding: 'utf8', timeout: 120_000 });
const node = (name: string) => run(process.execPath, [name]);

beforeAll(() => {
  place = mkdtempSync(path.join(tmpdir(), 'ape-client-'));
  env = { PATH: process.env['PATH'], HOME: place, APES_HOME: path.join(place, 'apes') };
  const packed = execFileSync('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', place], {
    cwd: ROOT,
    encoding: 'utf8',
  }).trim();
  const home = path.join(place, 'node_modules/ape-shell');
  mkdirSync(home, { recursive: true });
  execFileSync('tar', ['-xzf', path.join(place, packed), '-C', home, '--strip-components=1']);
  for (const [name, code] of examples) writeFileSync(path.join(place, name), code);
  expect(run(apes, ['up', '--port', '0', '--json']).status).toBe(0);
});
afterAll(() => {
  run(apes, ['down']);
  removeInstallation(place);
});

it('the examples run without any other package, and do what the page says', () => {
  expect([...examples.keys()]).toEqual(['waiting.mjs', 'approve.mjs']);
  expect(run(apes, ['run', '--', 'echo', 'hello']).status).toBe(75);
  expect(node('waiting.mjs')).toMatchObject({ status: 0, stdout: 'pending echo hello\n', stderr: '' });
  expect(node('approve.mjs')).toMatchObject({ status: 1, stderr: expect.stringContaining('owner') });
  expect(run(apes, ['owner', 'key', 'create', '--here']).status).toBe(0);
  expect(node('approve.mjs')).toMatchObject({ status: 0, stdout: 'approved\n' });
  expect(run(apes, ['run', '--', 'echo', 'hello']).stdout).toContain('hello');
  expect(node('waiting.mjs')).toMatchObject({ status: 0, stdout: '' });
});

it('the module has no code of the server, and imports only modules of Node', () => {
  const code = readFileSync(path.join(place, 'node_modules/ape-shell/dist/client/client.mjs'), 'utf8');
  const named = /^import .*?from "([^"]+)";$|^import "([^"]+)";$|\bimport\("([^"]+)"\)/gm;
  const imported = [...code.matchAll(named)].map(([, first, second, third]) => first ?? second ?? third ?? '');
  expect(imported.length).toBeGreaterThan(3);
  expect(imported.filter((name) => !name.startsWith('node:'))).toEqual([]);
  expect(code).not.toMatch(/src\/(?:server|store|gate|shell|pty|web)\//);
  expect(code.length).toBeLessThan(300_000);
});

it('the types of the module accept the examples, and refuse a wrong one', () => {
  const types = path.join(place, 'node_modules/@types');
  mkdirSync(types, { recursive: true });
  symlinkSync(path.join(ROOT, 'node_modules/@types/node'), path.join(types, 'node'));
  for (const name of ['typebox', 'undici-types'])
    symlinkSync(path.join(ROOT, 'node_modules', name), path.join(place, 'node_modules', name));
  for (const [name, code] of examples) writeFileSync(path.join(place, name.replace('.mjs', '.mts')), code);
  const wrong = (examples.get('waiting.mjs') ?? '').replace('request.text', 'request.nothing');
  writeFileSync(path.join(place, 'wrong.mts'), wrong);
  const options = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', '--target', 'es2023'];
  const files = ['waiting.mts', 'approve.mts', 'wrong.mts'];
  const tsc = path.join(ROOT, 'node_modules/typescript/bin/tsc');
  const { stdout } = run(process.execPath, [tsc, ...options, '--types', 'node', ...files]);
  expect(stdout.trim().split('\n')).toEqual([
    expect.stringMatching(/^wrong\.mts\(.*Property 'nothing' does not exist/),
  ]);
});
