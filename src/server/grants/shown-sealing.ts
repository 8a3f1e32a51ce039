/** Finds out whether an approval by the viewer of a page would be sealed. */
import type { StoreReader, Subject } from '../../store/store.ts';
import type { Sealing } from '../../web/cards/unsealed-note.ts';
import { ownKeysOnList } from '../identity/approver-keys.ts';
import { passkeyPlace } from '../identity/passkey-place.ts';
import { usableAt } from '../identity/passkey-request.ts';
import type { ServerParts } from '../server-ports.ts';
import { ownPasskeys } from './approval-to-seal.ts';

/** Returns null for an auditor: an auditor decides nothing. */
export async function shownSealing(
  { publicUrl }: Pick<ServerParts, 'publicUrl'>,
  rows: StoreReader,
  viewer: Subject,
): Promise<Sealing | null> {
  if (viewer.role === 'auditor') return null;
  if ((await rows.lastApprovers()) === undefined) return 'no-list';
  const own = await ownKeysOnList(rows, viewer);
  if (viewer.role === 'break-glass') return own.ok ? 'by-code' : 'unsealed';
  const place = passkeyPlace(publicUrl());
  if (!own.ok || place === null) return 'unsealed';
  return usableAt(place, await ownPasskeys(rows, viewer, own.value)).length === 0 ? 'unsealed' : 'by-passkey';
}
