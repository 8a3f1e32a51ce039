/** The beginning of an id names a grant only if the caller may see exactly one grant that begins so; otherwise nothing is done. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { removeDirectory } from '../../scripts/remove-directory.mjs';
import type { GrantClient } from '../../src/grants/client.ts';
import { wholeGrantId, withGrantId } from '../../src/grants/grant-id.ts';
import { openStore } from '../../src/store/open-store.ts';
import { sampleGrant } from '../contract/store-samples.ts';
import { clientOf } from './file-stage.ts';
import { TestServer } from './server-fixture.ts';

const OWN = ['g_aaaabbbbccccddddeeeeffffgg', 'g_aaaabbbbccccddddeeeeffffgh', 'g_bbbbbbbbbbbbbbbbbbbbbbbbbb'];
const OTHERS = ['g_bbbbbbccccccccccccccccccccc'.slice(0, 28)];

let server: TestServer;
let client: GrantClient;
let directory: string;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'ape-id-'));
  const database = join(directory, 'grants.db');
  server = await TestServer.start({ directory, database });
  const [agent, other] = [await server.requester('agent'), await server.requester('other')];
  client = await clientOf(server, agent, directory);
  const store = await openStore(database);
  if (!store.ok) throw new Error(store.failure.message);
  const written = await store.value.write(async (rows) => {
    for (const [who, ids] of [
      [agent, OWN],
      [other, OTHERS],
    ] as const) {
      const subject = await rows.subject(who.id);
      if (subject === undefined) throw new Error('no such requester');
      for (const id of ids) await rows.insertGrant(sampleGrant(subject, { id, expiresAtMs: Date.now() + 60_000 }));
    }
  });
  if (!written.ok) throw new Error(written.failure.message);
  await store.value.close();
});
afterAll(async () => {
  await server.stop();
  removeDirectory(directory);
});

const found = async (given: string) => {
  const id = await wholeGrantId(client, given);
  return id.ok ? id.value : [id.failure.code, id.failure.detail, id.failure.message];
};

it('the beginning of an id finds a grant if exactly one grant of this requester begins so; grants of others do not count', async () => {
  expect(await found('g_bbbb')).toBe(OWN[2]);
  expect(await found('g_aaaabbbbccccddddeeeeffffg')).toEqual([
    'usage',
    'grant.ambiguous',
    'several grants begin with g_aaaabbbbccccddddeeeeffffg',
  ]);
  expect(await found('g_bbbbbbcc')).toEqual([
    'refused',
    'grant.not_found',
    'refused: no grant of yours begins with g_bbbbbbcc',
  ]);
});

it('a text that is a whole id, is too short, or is no id is sent unchanged, and the server says what is wrong', async () => {
  for (const given of [OWN[0] ?? '', 'g_bbb', 'g_BBBB', 'bbbb', '', "g_bbbb'", 'g_bbb%'])
    expect(await found(given)).toBe(given);
});

it('nothing is done if several grants fit, or none', async () => {
  const acted: string[] = [];
  const act = async (id: string) => {
    acted.push(id);
    return { ok: true as const, value: null };
  };
  expect((await withGrantId(client, 'g_aaaa', act)).ok).toBe(false);
  expect((await withGrantId(client, 'g_zzzz', act)).ok).toBe(false);
  expect((await withGrantId(client, 'g_bbbb', act)).ok).toBe(true);
  expect(acted).toEqual([OWN[2]]);
});
