/** The SQLite store keeps the promises of the store suite, and its file is safe from other users. */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openStore } from '../../src/store/open-store.ts';
import { BESIDE_GRANTS } from '../../src/store/retention-rows.ts';
import type { Store } from '../../src/store/store.ts';
import {
  approved,
  expectEnded,
  must,
  newSubject,
  OLDER_ENROLMENTS,
  OLDER_SCHEMAS,
  sampleGrant,
} from './store-samples.ts';
import { describeStore } from './store-suite.ts';
import { bundleWorker, type Workers } from './worker.ts';

describeStore('SQLite', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'ape-sqlite-'));
  const open = async () => must(await openStore(join(directory, 'grants.db')));
  const stores: [Store, ...Store[]] = [await open(), await open(), await open()];
  return {
    stores,
    async close() {
      for (const store of stores) await store.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
});

describe('a SQLite file', () => {
  let directory: string;
  let path: string;
  let workers: Workers;
  beforeAll(() => {
    workers = bundleWorker('test/contract/use-grant-worker.ts');
  });
  afterAll(() => workers.remove());
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'ape-sqlite-'));
    path = join(directory, 'inner', 'grants.db');
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  const refusal = async (database = path) => {
    const opened = await openStore(database);
    if (!opened.ok) return opened.failure;
    await opened.value.close();
    throw new Error('it opened');
  };
  const make = async () => must(await openStore(path));

  it('and the files beside it are accessible only to their owner', async () => {
    const store = await make();
    await newSubject(store);
    const modes = ['', '-wal', '-shm'].map((ending) => statSync(path + ending).mode & 0o777);
    expect(modes).toEqual([0o600, 0o600, 0o600]);
    expect(statSync(join(directory, 'inner')).mode & 0o777).toBe(0o700);
    await store.close();
  });

  it('that others may read is refused', async () => {
    await (await make()).close();
    chmodSync(path, 0o640);
    expect(await refusal()).toMatchObject({ code: 'configuration', message: expect.stringContaining('mode 0640') });
  });

  it.each(OLDER_SCHEMAS)('written before %s is upgraded, with its grants unchanged', async (_, undo) => {
    const first = await make();
    const grant = approved(await newSubject(first), { kind: 'always' });
    must(await first.write((rows) => rows.insertGrant(grant)));
    await first.close();
    const file = new Database(path);
    file.exec(undo);
    file.close();
    const second = await make();
    expect(must(await second.read((rows) => rows.grant(grant.id)))).toEqual(grant);
    expect(must(await second.read((rows) => rows.scopedGrants(grant.requesterId, grant.createdAtMs)))).toEqual([]);
    const scope = { operations: ['edit' as const], pathPrefix: '/p' };
    must(await second.write((rows) => rows.replaceGrant({ ...grant, version: grant.version + 1, scope })));
    expect(must(await second.read((rows) => rows.grant(grant.id)))?.scope).toEqual(scope);
    await second.close();
  });

  it('written before codes had nonces is upgraded, and its pending enrolments end', async () => {
    await (await make()).close();
    const file = new Database(path);
    file.exec(OLDER_ENROLMENTS);
    file.close();
    const store = await make();
    await expectEnded(store);
    await store.close();
  });

  it('behind a symbolic link is refused', async () => {
    await (await make()).close();
    const link = join(directory, 'link.db');
    symlinkSync(path, link);
    expect(await refusal(link)).toMatchObject({ code: 'configuration' });
  });

  it('has no table that refers to grants, except those that retention empties together with grants', async () => {
    await must(await openStore(path)).close();
    const file = new Database(path);
    const referring = file
      .prepare(`select m.name from sqlite_master m, pragma_foreign_key_list(m.name) f where f."table" = 'grants'`)
      .pluck()
      .all();
    file.close();
    expect(referring.toSorted()).toEqual(BESIDE_GRANTS.toSorted());
  });

  it('keeps what was committed when it is opened again', async () => {
    const first = await make();
    const grant = sampleGrant(await newSubject(first));
    must(await first.write((rows) => rows.insertGrant(grant)));
    await first.close();
    const second = await make();
    expect(must(await second.read((rows) => rows.grant(grant.id)))).toEqual(grant);
    await second.close();
  });

  it('shows uncommitted changes of a transaction to no other work on the same connection', async () => {
    const store = await make();
    const grant = approved(await newSubject(store), { kind: 'always' });
    const later = () => sleep(20);
    const covering = () =>
      store.read((rows) => rows.coveringGrants(grant.requesterId, grant.fingerprint, grant.createdAtMs));
    const seen: Promise<unknown>[] = [];
    const written = await store.write(async (rows) => {
      await rows.insertGrant(grant);
      seen.push(
        covering(),
        store.read((other) => other.grant(grant.id)),
      );
      await later();
      throw new Error('undone');
    });
    expect(written.ok).toBe(false);
    expect(await Promise.all(seen)).toEqual([
      { ok: true, value: [] },
      { ok: true, value: undefined },
    ]);
    must(await store.write((rows) => rows.insertGrant(grant)));
    expect(must(await covering())).toEqual([grant]);
    await store.close();
  });

  it('that is locked when it is opened does not stay open', async () => {
    await (await make()).close();
    const file = new Database(path);
    file.exec('begin exclusive');
    expect(await refusal()).toMatchObject({ detail: 'store.locked' });
    file.exec('rollback');
    file.close();
    const held = readdirSync('/proc/self/fd').flatMap((fd) => {
      try {
        return readlinkSync(`/proc/self/fd/${fd}`);
      } catch {
        return []; // closed meanwhile
      }
    });
    expect(held.filter((each) => each.startsWith(path))).toEqual([]);
  });

  it('written by a newer version is refused and not changed', async () => {
    await (await make()).close();
    const file = new Database(path);
    file.prepare('update schema_version set version = 99').run();
    file.close();
    const failure = await refusal();
    expect(failure).toMatchObject({
      code: 'configuration',
      detail: 'store.newer',
      message: expect.stringContaining('schema 99'),
    });
    const again = new Database(path);
    expect(again.prepare('select version from schema_version').get()).toEqual({ version: 99 });
    again.close();
  });

  it('that is no database is reported as damaged', async () => {
    await (await make()).close();
    writeFileSync(path, 'this is not a database, it is a letter to you\n'.repeat(100));
    rmSync(`${path}-wal`, { force: true });
    expect(await refusal()).toMatchObject({ code: 'configuration', detail: 'store.damaged' });
  });

  it('that was cut in half is reported as damaged, when it is opened or at its first use', async () => {
    const store = await make();
    const requester = await newSubject(store);
    for (let count = 0; count < 200; count += 1)
      must(await store.write((rows) => rows.insertGrant(sampleGrant(requester))));
    await store.close();
    truncateSync(path, Math.floor(statSync(path).size / 2 / 4096) * 4096);
    const opened = await openStore(path);
    const failure = opened.ok
      ? await opened.value
          .read((rows) => rows.grants({ limit: 200, nowMs: 0 }))
          .then((read) => (read.ok ? null : read.failure))
      : opened.failure;
    expect(failure).toMatchObject({ code: 'configuration', detail: 'store.damaged' });
    if (opened.ok) await opened.value.close();
  });

  it('locked by another process is reported as locked after a wait, and works again afterwards', async () => {
    const store = await make();
    const other = new Database(path);
    other.exec('begin immediate');
    const blocked = await store.write((rows) => rows.prune(0));
    expect(blocked).toMatchObject({ ok: false, failure: { code: 'unavailable', detail: 'store.locked' } });
    expect((await store.read((rows) => rows.lastSeq())).ok).toBe(true); // readers never wait
    other.exec('rollback');
    other.close();
    expect((await store.write((rows) => rows.prune(0))).ok).toBe(true);
    await store.close();
  });

  it('on a full disk is reported as such, keeps what was written, and stores no incomplete transaction', async () => {
    const filling = bundleWorker('test/contract/fill-worker.ts');
    // To a writer, a file that may not grow is the same as a full disk, and the test needs no disk of its own.
    const command = `ulimit -f 1000; trap '' XFSZ; exec "$0" "$1" "$2"`;
    const { stdout } = spawnSync('bash', ['-c', command, process.execPath, filling.script, path], {
      encoding: 'utf8',
      timeout: 120_000,
    });
    filling.remove();
    const [, taken, kept] = /^(\d+) taken, unavailable store\.full, (\d+) kept$/.exec(stdout) ?? [];
    expect([stdout, Number(taken) > 10]).toEqual([stdout, true]);
    expect(kept).toBe(taken);
    const store = await make(); // with free space again, everything works
    const requester = await newSubject(store);
    must(await store.write((rows) => rows.insertGrant(sampleGrant(requester))));
    expect(must(await store.read((rows) => rows.countPending(0)))).toBe(Number(taken) + 1);
    await store.close();
  });

  it('that cannot be written is refused at once', async () => {
    const store = await make();
    await store.close();
    chmodSync(path, 0o400);
    const isRoot = process.getuid?.() === 0; // root may write every file, so another user tries
    if (isRoot) for (const place of [directory, join(directory, 'inner'), path]) chownSync(place, 65_534, 65_534);
    const [output] = await workers.run([[path, 'g']], isRoot ? { uid: 65_534, gid: 65_534 } : undefined);
    expect(output).toMatch(/^configuration store\.(unopened|read_only):/);
  });

  it('lets six processes use a once grant exactly once', async () => {
    const store = await make();
    const grant = approved(await newSubject(store), { kind: 'once' });
    must(await store.write((rows) => rows.insertGrant(grant)));
    const outputs = await workers.run(Array.from({ length: 6 }, () => [path, grant.id]));
    expect(outputs.toSorted()).toEqual(['refused', 'refused', 'refused', 'refused', 'refused', 'used']);
    await store.close();
  });

  it('loses no committed change and has no half change after its process is killed at any moment', async () => {
    const killed = bundleWorker('test/contract/use-until-killed-worker.ts');
    let store = await make();
    const grant = approved(await newSubject(store), { kind: 'always' }, { version: 2 });
    must(await store.write((rows) => rows.insertGrant(grant)));
    let confirmed = 0;
    for (const characters of [1, 7, 40, 90]) {
      await store.close();
      confirmed += (await killed.runUntilKilled([path, grant.id], characters)).length;
      store = await make();
      const after = must(await store.read((rows) => rows.grant(grant.id)));
      const events = must(await store.read((rows) => rows.events(0, 1_000)));
      const uses = after?.uses ?? 0;
      expect(uses).toBeGreaterThanOrEqual(confirmed);
      expect([after?.version, events.length]).toEqual([2 + uses, uses]); // both the change and its event, or neither
      confirmed = uses;
    }
    await store.close();
    killed.remove();
  });

  it('is not made for an address of an unknown kind', async () => {
    expect(await refusal('mysql://host/db')).toMatchObject({ code: 'configuration', detail: 'store.refused' });
  });
});
