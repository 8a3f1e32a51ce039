/** `npm start` opens a shell without the variables that npm adds, which would make every risk unknown. The shell finds `apes`. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { removeInstallation } from '../fixtures/remove-installation.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PATH = '/usr/local/bin:/usr/bin:/bin';
let home: string;
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'ape-npm-start-'));
});
const startWith = (...args: readonly string[]) => {
  const env = { PATH, HOME: home, APES_HOME: join(home, 'apes'), APES_SERVE_PORT: '0', LANG: 'C.UTF-8' };
  return spawnSync('npm', ['start', '--silent', '--', ...args], { cwd: ROOT, encoding: 'utf8', env });
};
afterAll(() => {
  removeInstallation(home);
});

it('`npm start` opens a shell in which a harmless first line has a low risk, and needs no number', () => {
  const { status, stdout, stderr } = startWith('-c', 'ls -la src');
  expect({ status, stdout }).toEqual({ status: 75, stdout: expect.stringContaining('The grant server is started') });
  expect(stderr).toMatch(/^ {2}risk: {5}low;/m);
  expect(stderr).not.toContain('number:');
});

it('this shell finds `apes`, after all directories that the caller has in PATH', () => {
  expect(startWith('-c', 'apes grants list')).toMatchObject({
    status: 0,
    stdout: expect.stringContaining('ls -la src'),
  });
  const { stderr } = startWith('-c', 'ls src');
  expect(stderr).toMatch(/^ {2}next: {5}apes grants run g_/m);
});
