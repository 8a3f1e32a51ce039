/** The owner: the first approver of this server. */
import type { StoreWriter } from '../../store/store.ts';

/** The id of the owner. Each sign-in of the owner has this id as its subject. */
export const OWNER_ID = 's_owner';

/** Inserts the subject of the owner if the store does not have this subject. */
export async function ensureOwner(rows: StoreWriter, nowMs: number): Promise<void> {
  if ((await rows.subject(OWNER_ID)) !== undefined) return;
  const noHost = { host: '', user: '', publicKey: null, revokedAtMs: null };
  await rows.insertSubject({ ...noHost, id: OWNER_ID, role: 'approver', name: 'owner', createdAtMs: nowMs });
}
