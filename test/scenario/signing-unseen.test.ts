/** `apes grants approve` signs a request that this device has not shown only if this installation has the file of the server's database. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Postgres, startPostgres } from '../contract/postgres.ts';
import { programPath } from '../fixtures/programs.ts';
import { removeInstallation } from '../fixtures/remove-installation.ts';

let postgres: Postgres;
let directory: string;
let database: string;
beforeAll(async () => {
  postgres = await startPostgres();
  database = await postgres.newDatabase();
  directory = mkdtempSync(join(tmpdir(), 'ape-unseen-'));
});
afterAll(async () => {
  for (const name of ['file', 'elsewhere']) callIn(name)('apes', 'down');
  await postgres?.stop();
  removeInstallation(directory);
});

const callIn =
  (installation: string) =>
  (name: string, ...args: readonly string[]) => {
    const home = join(directory, installation);
    const env = { PATH: '/usr/bin:/bin', HOME: home, APES_HOME: join(home, 'apes') };
    return spawnSync(programPath(name), args, { cwd: home, encoding: 'utf8', env });
  };

/** Starts an installation with an owner key on the list of approvers, asks for a command, and returns the id of the request. */
function asked(installation: string, settings: string) {
  mkdirSync(join(directory, installation, 'apes'), { recursive: true, mode: 0o700 });
  writeFileSync(join(directory, installation, 'apes/config.toml'), settings, { mode: 0o600 });
  const call = callIn(installation);
  expect(call('apes', 'up', '--port', '0', '--json').status).toBe(0);
  expect(call('apes', 'owner', 'key', 'create', '--here').status).toBe(0);
  const { status, stderr } = call('ape-shell', '-c', 'echo unseen');
  expect(status).toBe(75);
  return { call, id: /g_[a-z2-7]{26}/.exec(stderr)?.[0] ?? '' };
}

it('with the database file of this installation, `apes grants approve` signs without a question', () => {
  const { call, id } = asked('file', '');
  const { status, stdout } = call('apes', 'grants', 'approve', id);
  expect({ status, stdout }).toEqual({ status: 0, stdout: expect.stringMatching(/sealed +by owner key of/) });
});

it('with a database elsewhere, `apes grants approve` signs only a request and a confinement that this device has shown', () => {
  const { call, id } = asked('elsewhere', `[serve]\ndatabase = " ${database.replace(/^postgres/, 'POSTGRES')}"\n`);
  expect(call('apes', 'grants', 'approve', id)).toMatchObject({
    status: 64,
    stdout: '',
    stderr: `apes: this device has not shown the request; nothing is signed; look at it: apes grants show ${id}; or write --fingerprint HEX, as the host that asks shows it\n`,
  });
  expect(call('apes', 'grants', 'approve', id, '--json').stdout).toContain('"seal.unseen"');
  expect(call('apes', 'grants', 'show', id).status).toBe(0);
  expect(call('apes', 'grants', 'approve', id)).toMatchObject({ status: 0, stdout: expect.stringContaining('sealed') });

  const again = /g_[a-z2-7]{26}/.exec(call('ape-shell', '-c', 'touch made').stderr)?.[0] ?? '';
  expect(call('apes', 'grants', 'show', again).status).toBe(0);
  expect(call('apes', 'grants', 'approve', again, '--confined')).toMatchObject({
    status: 64,
    stderr: expect.stringContaining(`look at it: apes grants proposals ${again}`),
  });
  expect(call('apes', 'grants', 'proposals', again).status).toBe(0);
  expect(call('apes', 'grants', 'approve', again, '--confined')).toMatchObject({ status: 0 });
});
