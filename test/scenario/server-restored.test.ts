/** `apes server restored` after another program has restored the PostgreSQL database: an approval that was used cannot be used again. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Postgres, startPostgres } from '../contract/postgres.ts';
import { programPath } from '../fixtures/programs.ts';
import { removeInstallation } from '../fixtures/remove-installation.ts';

let postgres: Postgres;
let directory: string;
let url: string;

const call = (name: string, ...args: readonly string[]) => {
  const { status, stdout, stderr } = spawnSync(programPath(name), args, {
    cwd: directory,
    encoding: 'utf8',
    env: { PATH: '/usr/bin:/bin', HOME: join(directory, 'home'), APES_HOME: join(directory, 'apes') },
  });
  return { status, stdout, stderr };
};
const shell = (line: string) => call('ape-shell', '-c', line);

/** Copies all rows of a database on the PostgreSQL server, as pg_dump and pg_restore would. */
async function copyDatabase(from: string, to: string): Promise<void> {
  const client = new pg.Client({ connectionString: new URL('/postgres', url).href });
  await client.connect();
  const named = (address: string) => new URL(address).pathname.slice(1);
  await client.query(`drop database if exists ${named(to)}`);
  await client.query(`create database ${named(to)} template ${named(from)}`);
  await client.end();
}

beforeAll(async () => {
  postgres = await startPostgres();
  url = await postgres.newDatabase();
  directory = mkdtempSync(join(tmpdir(), 'ape-restored-'));
  mkdirSync(join(directory, 'home'));
  mkdirSync(join(directory, 'apes'), { mode: 0o700 });
  writeFileSync(join(directory, 'apes/config.toml'), `[serve]\ndatabase = "${url}"\n`, { mode: 0o600 });
});
afterAll(async () => {
  call('apes', 'down');
  await postgres?.stop();
  removeInstallation(directory);
});

const upAndOwner = (): void => {
  expect(call('apes', 'up', '--port', '0', '--json')).toMatchObject({ status: 0 });
};

/** Each test starts about twenty programs, one after the other. */
const TIMEOUT_MS = 600_000;

describe('apes server restored', { timeout: TIMEOUT_MS }, () => {
  it('ends what was approved when the backup was made, single uses and standing grants alike', async () => {
    upAndOwner();
    call('apes', 'owner', 'key', 'create', '--here');
    for (const line of ['echo single', 'echo standing']) expect(shell(line).status).toBe(75);
    const waiting = JSON.parse(call('apes', 'grants', 'inbox', '--json').stdout).data as { id: string }[];
    const [single, standing] = waiting.map(({ id }) => id) as [string, string];
    expect(call('apes', 'grants', 'approve', single)).toMatchObject({ status: 0 });
    expect(call('apes', 'grants', 'approve', '--term', 'always', standing)).toMatchObject({ status: 0 });
    expect(call('apes', 'down')).toMatchObject({ status: 0 });
    const backup = new URL('/kept', url).href;
    await copyDatabase(url, backup);
    upAndOwner();
    for (const line of ['echo single', 'echo standing'])
      expect(shell(line)).toMatchObject({ status: 0, stdout: `${line.slice(5)}\n` });

    expect(call('apes', 'server', 'restored')).toMatchObject({ status: 64, stdout: '' });
    expect(call('apes', 'down')).toMatchObject({ status: 0 });
    await copyDatabase(backup, url);
    const restored = call('apes', 'server', 'restored', '--json');
    expect(restored).toMatchObject({ status: 0, stderr: '' });
    expect(JSON.parse(restored.stdout).data).toMatchObject({ approvals: 2, policies: 0 });

    upAndOwner();
    for (const line of ['echo single', 'echo standing']) expect(shell(line)).toMatchObject({ status: 75, stdout: '' });
    for (const id of [single, standing]) expect(call('apes', 'grants', 'status', id).stdout).toBe('revoked\n');
    expect(call('apes', 'server', 'check')).toMatchObject({ status: 0 });
    expect(call('apes', 'down')).toMatchObject({ status: 0 });
  });

  it('can be called again, and says so when there is nothing left to end', () => {
    const again = call('apes', 'server', 'restored');
    expect(again).toMatchObject({ status: 0 });
    expect(again.stdout).toContain('0 approvals and 0 reading policies ended');
  });

  it('is named by backup and restore, which refuse a PostgreSQL database', () => {
    expect(call('apes', 'server', 'backup', 'here').stderr).toContain('after pg_restore: apes server restored');
    expect(call('apes', 'server', 'restore', 'here').stderr).toContain('then: apes server restored');
  });
});
