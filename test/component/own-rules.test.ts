/** The rule files of the user: which places count as no rule files, and which are an error. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { loadRules } from '../../src/platform/rule-files.ts';
import { DIST } from '../fixtures/programs.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'ape-own-rules-'));
});
afterEach(() => rmSync(home, { recursive: true }));

const load = () => loadRules(DIST, join(home, 'config.toml'));

it('a missing or empty directory is no error', async () => {
  expect(await load()).toMatchObject({ ok: true });
  mkdirSync(join(home, 'rules.d'), { mode: 0o700 });
  expect(await load()).toMatchObject({ ok: true });
});

it('a link that leads nowhere, and a directory that others can use, are errors: built-in rules would replace those of the user', async () => {
  symlinkSync('/nonexistent', join(home, 'rules.d'));
  expect(await load()).toMatchObject({ ok: false, failure: { code: 'configuration' } });
  rmSync(join(home, 'rules.d'));
  mkdirSync(join(home, 'rules.d'));
  chmodSync(join(home, 'rules.d'), 0o755);
  expect(await load()).toMatchObject({ ok: false, failure: { code: 'configuration' } });
});
