/** Reads `config.toml` from a real disk. */
import { chmodSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { loadSettings } from '../../src/platform/config-file.ts';

const directory = mkdtempSync(join(tmpdir(), 'ape-settings-'));
const file = join(directory, 'config.toml');
afterAll(() => rmSync(directory, { recursive: true }));
beforeEach(() => rmSync(file, { force: true }));

const load = (variables: Record<string, string> = {}) =>
  loadSettings(file, new Map(Object.entries(variables).map(([name, value]) => [name, Buffer.from(value)])));

it('a missing file gives the defaults', async () => {
  expect(await load()).toMatchObject({ ok: true, value: { shell: { asyncExitCode: 75 }, serve: { port: 7417 } } });
});

it('a file is read, and an environment variable takes precedence over it', async () => {
  writeFileSync(file, '# mine\n[shell]\nasync_exit_code = 3\nwait_timeout = "2m"\n[serve]\nport = 1\n', {
    mode: 0o600,
  });
  expect(await load({ APES_ASYNC_EXIT_CODE: '4' })).toMatchObject({
    ok: true,
    value: { shell: { asyncExitCode: 4, waitTimeoutMs: 120_000 }, serve: { port: 1 } },
  });
});

it.each([
  ['[shell]\nbash = "/bin/bash\n', 'line 2'],
  ['[shell\n', 'line 1'],
  ['a = 1\na = 2\n', 'line 2'],
  ['\u0000', 'line 1'],
])('%j is refused with the line of the fault', async (text, place) => {
  writeFileSync(file, text, { mode: 0o600 });
  const settings = await load();
  expect(settings).toMatchObject({ ok: false, failure: { code: 'configuration' } });
  if (!settings.ok) expect(settings.failure.message).toMatch(new RegExp(`config\\.toml ${place}: [^\\n]+$`));
});

it.each([0o644, 0o660, 0o604, 0o620])(
  'a file of mode %o is refused, with the command that corrects the mode',
  async (mode) => {
    writeFileSync(file, '');
    chmodSync(file, mode);
    expect(await load()).toMatchObject({ ok: false, failure: { code: 'configuration', advice: `chmod 600 ${file}` } });
  },
);

it('a link or a directory in place of the file is refused', async () => {
  writeFileSync(join(directory, 'elsewhere.toml'), '', { mode: 0o600 });
  symlinkSync(join(directory, 'elsewhere.toml'), file);
  expect(await load()).toMatchObject({ ok: false, failure: { code: 'configuration' } });
  rmSync(file);
  expect(await loadSettings(directory, new Map())).toMatchObject({ ok: false, failure: { code: 'configuration' } });
});
