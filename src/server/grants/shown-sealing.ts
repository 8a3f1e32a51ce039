/** What the card of a pending request says about a seal: whether an approval by the person who looks at it would have one. */
import type { StoreReader, Subject } from '../../store/store.ts';
import type { AboutGrant } from '../../web/cards/grant-card.ts';
import { approversFor } from '../identity/approver-keys.ts';
import { passkeyPlace } from '../identity/passkey-place.ts';
import { usableAt } from '../identity/passkey-request.ts';
import type { ServerParts } from '../server-ports.ts';
import { ownPasskeys } from './approval-to-seal.ts';

/** Returns null without a list of approvers, because then no approval has a seal; and for a person who decides nothing. */
export async function shownSealing(
  { publicUrl }: Pick<ServerParts, 'publicUrl'>,
  rows: StoreReader,
  viewer: Subject,
): Promise<AboutGrant['sealing']> {
  if (viewer.role === 'auditor' || (await rows.lastApprovers()) === undefined) return null;
  const own = await approversFor(rows, viewer);
  const place = passkeyPlace(publicUrl());
  if (!own.ok || place === null) return 'unsealed';
  return usableAt(place, await ownPasskeys(rows, viewer, own.value)).length === 0 ? 'unsealed' : 'by-passkey';
}
