/** The passkeys of all people who decide or audit, each passkey with its person. */
import type { Passkey } from '../../store/passkeys.ts';
import type { StoreReader, Subject } from '../../store/store.ts';

export interface OwnedPasskey {
  readonly passkey: Passkey;
  readonly person: Subject;
}

/**
 * Lists the passkeys by person, in the order in which people and their passkeys were added. The list includes passkeys that were blocked
 * as possible copies. A revoked person has no passkeys.
 */
export async function ownedPasskeys(rows: StoreReader): Promise<readonly OwnedPasskey[]> {
  const found: OwnedPasskey[] = [];
  for (const person of await rows.passkeys.approvers())
    for (const passkey of await rows.passkeys.passkeysOf(person.id)) found.push({ passkey, person });
  return found;
}
