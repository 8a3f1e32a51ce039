/** The index of policies and scopes goes on rightly after a database was replaced by a copy that lacks its last changes. */
import { chmodSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { removeDirectory } from '../../scripts/remove-directory.mjs';
import { plainEvent } from '../../src/core/grant/audit-event.ts';
import { StandingIndex } from '../../src/server/grants/standing-index.ts';
import { openStore } from '../../src/store/open-store.ts';
import type { Store, StoreReader } from '../../src/store/store.ts';
import { approved, must, NOW_MS, newSubject, samplePolicy } from '../contract/store-samples.ts';

let directory: string;
let stores: Store[];
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'ape-index-'));
  stores = [];
});
afterEach(async () => {
  for (const store of stores) await store.close();
  removeDirectory(directory);
});

async function open(name: string): Promise<Store> {
  const store = must(await openStore(join(directory, name)));
  stores.push(store);
  return store;
}

const forbid = async (store: Store, ownerId: string, id: string): Promise<void> => {
  const rule = { text: 'git *', pattern: null };
  const policy = samplePolicy(ownerId, { id, rule });
  const facts = { policyId: id };
  const written = await store.write(async (rows) => {
    await rows.insertPolicy(policy);
    rows.record(plainEvent('policy.created', ownerId, NOW_MS, facts));
  });
  must(written);
};

it('counts a new rule after a read of the old database broke off between the rules and the last change', async () => {
  const first = await open('first.db');
  const requester = await newSubject(first);
  const owner = await newSubject(first, { role: 'approver' });
  must(await first.write(async (rows) => rows.record(plainEvent('requester.resumed', owner.id, NOW_MS, {}))));
  const index = new StandingIndex();
  must(await first.read((rows) => index.catchUp(rows)));
  must(await (first.copyTo ?? (() => Promise.reject(new Error('no copy'))))(join(directory, 'second.db')));
  chmodSync(join(directory, 'second.db'), 0o600);

  // The first database takes more changes; its connection breaks when the last one is read.
  const grant = approved(requester, { kind: 'always' });
  for (const id of ['p_one', 'p_two', 'p_three']) await forbid(first, owner.id, id);
  must(
    await first.write(async (rows) => {
      await rows.insertGrant(grant);
      rows.record({ ...plainEvent('grant.approved', owner.id, NOW_MS, {}), grantId: grant.id });
    }),
  );
  const broken = await first.read(async (rows) => {
    const without = new Proxy(rows, {
      get: (target, name) =>
        name === 'grant'
          ? () => Promise.reject(new Error('the connection broke'))
          : Reflect.get(target, name).bind?.(target),
    });
    await index.catchUp(without as StoreReader);
  });
  expect(broken.ok).toBe(false);

  const second = await open('second.db');
  await forbid(second, owner.id, 'p_new');
  must(await second.read((rows) => index.catchUp(rows)));
  const line = { texts: ['git push'], permissions: [], unread: [] };
  expect(index.denial(requester.id, line)?.id).toBe('p_new');
});
