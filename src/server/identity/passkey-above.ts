/** Reads and stores a risk that the owner sets. To approve a request above this risk, a person who has a passkey needs the passkey. */

import { RISKS, type Risk } from '../../core/effects/permission.ts';
import { plainEvent } from '../../core/grant/audit-event.ts';
import type { PasskeyAbove } from '../../core/wire/passkeys.ts';
import type { StoreReader, StoreWriter } from '../../store/store.ts';

const NAME = 'passkey_above';
const PASSKEY_ABOVE: readonly PasskeyAbove[] = ['none', ...RISKS];

const isPasskeyAbove = (value: string | undefined): value is PasskeyAbove =>
  PASSKEY_ABOVE.some((each) => each === value);

/** Reads the setting. Returns `low` if the owner never changed the setting. An unknown value counts as `none`: then every risk needs a passkey. */
export async function passkeyAbove(rows: StoreReader): Promise<PasskeyAbove> {
  const value = await rows.passkeys.ownerSetting(NAME);
  if (value === undefined) return 'low';
  return isPasskeyAbove(value) ? value : 'none';
}

/**
 * Stores the setting and records the change.
 * @param by the subject that makes the change; null: the command line on the server's machine
 */
export async function setPasskeyAbove(
  rows: StoreWriter,
  value: PasskeyAbove,
  by: string | null,
  nowMs: number,
): Promise<void> {
  await rows.passkeys.setOwnerSetting(NAME, value);
  rows.record(plainEvent('setting.changed', by, nowMs, { name: NAME, value }));
}

/**
 * Whether an approval at this risk needs a passkey.
 * @param risk null: the risk is unknown, and counts as critical
 */
export function isAbove(risk: Risk | null, limit: PasskeyAbove): boolean {
  if (limit === 'critical') return false;
  return risk === null || limit === 'none' || RISKS.indexOf(risk) > RISKS.indexOf(limit);
}
