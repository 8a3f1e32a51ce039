/** `check` of a store names each kind of fault in a real SQLite file that another program has changed. */
import { mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { grantEvent, plainEvent } from '../../src/core/grant/audit-event.ts';
import { openStore } from '../../src/store/open-store.ts';
import { approved, must, NOW_MS, newSubject } from './store-samples.ts';

describe('a checked database', () => {
  let directory: string;
  let path: string;
  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'ape-check-'));
    path = join(directory, 'grants.db');
    const store = must(await openStore(path));
    const requester = await newSubject(store);
    must(
      await store.write(async (rows) => {
        const grant = approved(requester, { kind: 'once' });
        await rows.insertGrant(grant);
        rows.record(grantEvent('grant.requested', grant, requester.id, 1));
        rows.record(grantEvent('grant.approved', grant, requester.id, 2));
      }),
    );
    await store.close();
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  const faultsAfter = async (change: string) => {
    const file = new Database(path);
    file.pragma('foreign_keys = off');
    file.exec(change);
    file.close();
    const store = must(await openStore(path));
    const faults = must(await store.check());
    await store.close();
    return faults;
  };

  it('has no fault as it was written', async () => {
    expect(await faultsAfter('select 1')).toEqual([]);
  });

  it.each([
    ['an event is missing', 'delete from events where seq = 1', 'the record has gaps'],
    ['the counter was set back', 'update event_head set seq = 0', 'its counter says 0'],
    ['a use is not on record', 'update grants set uses = 1', 'whose number of uses differs'],
    ['a once grant counts two uses', 'update grants set uses = 2', 'used more than once'],
    [
      'an approval is not on record',
      "update events set kind = 'grant.denied' where seq = 2",
      'approved without a record',
    ],
    ['a denial is not on record', "update grants set state = 'denied'", 'denied without a record'],
    ['a revocation is not on record', "update grants set state = 'revoked'", 'revoked without a record'],
    ['the requester is missing', 'delete from subjects', 'refer to rows that are gone'],
  ])('has a fault if %s', async (_name, change, fault) => {
    expect((await faultsAfter(change)).join('\n')).toContain(fault);
  });

  const removeOld = async (kind: 'uses' | 'events') => {
    const store = must(await openStore(path));
    must(
      await store.write(async (rows) => {
        const turn = { beforeMs: NOW_MS + 1, fromMs: 0, nowMs: NOW_MS + 10_000, limit: 100 };
        const { count } = await rows.retention.removeOld(kind, turn);
        rows.record(plainEvent('record.cut', null, NOW_MS + 10_000, { class: kind, count }));
      }),
    );
    await store.close();
  };

  it('has no fault after retention removed rows; other missing rows are still found', async () => {
    await removeOld('events');
    expect(await faultsAfter('update grants set uses = 1, used_at_ms = 3')).toHaveLength(1);
    await faultsAfter('update grants set uses = 0');
    expect(await faultsAfter('select 1')).toEqual([]);
    expect((await faultsAfter("delete from events where kind = 'record.cut'")).join('\n')).toContain(
      'its counter says',
    );
  });

  it('may lack the uses of a grant that retention has removed, and no other use', async () => {
    await faultsAfter("insert into events (seq, at_ms, kind, facts) values (3, 4, 'policy.used', '{}')");
    await faultsAfter("update event_head set seq = 3; update grants set uses = 1, term_kind = 'always'");
    expect((await faultsAfter('select 1')).join('\n')).toContain('whose number of uses differs');
    await removeOld('uses');
    expect(await faultsAfter('select 1')).toEqual([]);
    const later = `update grants set created_at_ms = ${NOW_MS + 1}`;
    expect((await faultsAfter(later)).join('\n')).toContain('whose number of uses differs');
  });

  it('has a fault if a page was overwritten', async () => {
    const file = openSync(path, 'r+');
    writeSync(file, Buffer.alloc(600, 0xa5), 0, 600, 4096 * 6);
    const store = await openStore(path);
    const fault = store.ok ? await store.value.check() : store;
    if (store.ok) await store.value.close();
    expect(JSON.stringify(fault)).toContain('damaged');
  });
});
