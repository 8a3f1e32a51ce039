/** Why a person may not deny a request: each reason has its own code. */
import { expect, it } from 'vitest';
import { denialRefusal } from '../../src/server/grants/approval-authority.ts';
import { openMemoryStore } from '../contract/memory-store.ts';
import { newSubject, sampleGrant } from '../contract/store-samples.ts';

it('a person who has just lost the role of an approver gets the code for a person who decides nothing', async () => {
  const store = openMemoryStore();
  const requester = await newSubject(store);
  const grant = sampleGrant(requester);
  const former = { ...requester, id: 's_former', role: 'approver' as const, publicKey: null };
  const read = await store.read((rows) => denialRefusal(rows, former, grant, grant.createdAtMs));
  expect(read).toMatchObject({ ok: true, value: { code: 'auth.forbidden' } });
});
