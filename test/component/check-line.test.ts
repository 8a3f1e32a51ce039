/** The check of a hook line sees a command that the harness would run past the gate. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { checkLine } from '../../src/harness/check-line.ts';
import { findHarness } from '../../src/harness/harnesses.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'ape-check-line-'));
  writeFileSync(join(folder, 'hook-guard'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const SHELL = '/x/ape-shell';
const REPLACED = (command: string) =>
  JSON.stringify({ hookSpecificOutput: { permissionDecision: 'allow', updatedInput: { command } } });

it.concurrent.each([
  ['leaves the command to a harness with a shell of its own', 'claude-code', '{}', false],
  ['replaces the command by one without our shell', 'claude-code', REPLACED('bash -c true'), false],
  ['replaces the command by another one of our shell', 'claude-code', REPLACED(`'${SHELL}' -c 'false'`), false],
  ['replaces the command by the call of our shell', 'claude-code', REPLACED(`'${SHELL}' -c 'true'`), true],
  ['leaves the command to a harness that runs bash from PATH', 'qwen', '{}', true],
])('a hook that %s: %s', async (_what, name, answer, holds) => {
  const harness = findHarness(name);
  if (harness === null) throw new Error(`${name} is gone`);
  const line = `printf %s '${answer.replaceAll("'", "'\\''")}'`;
  const guard = join(folder, 'hook-guard');
  const environment = { PATH: '/usr/bin:/bin', SHELL: '/bin/true' };
  const rows = await checkLine({ harness, line, guard, shell: SHELL, environment });
  expect(rows.find((row) => row.name === 'a command goes through ape-shell')).toMatchObject({ holds });
});
