/** Makes the view of a passkey; renames and removes passkeys of one person. */
import { plainEvent } from '../../core/grant/audit-event.ts';
import { failed, type Result, success } from '../../core/result.ts';
import type { PasskeyView } from '../../core/wire/passkeys.ts';
import type { Passkey } from '../../store/passkeys.ts';
import type { ApproverSession, StoreReader, StoreWriter } from '../../store/store.ts';
import { type Refusal, refusal } from '../refusal.ts';
import { change, type ServerParts } from '../server-ports.ts';
import { passkeyPlace } from './passkey-place.ts';
import { usableAt } from './passkey-request.ts';

/** @param session the caller's session: `isThisDevice` is true if the session belongs to this passkey; null: the caller has no session */
export const passkeyView = (passkey: Passkey, session: Pick<ApproverSession, 'passkeyId'> | null): PasskeyView => ({
  id: passkey.id,
  name: passkey.name,
  rpId: passkey.rpId,
  credentialId: passkey.credentialId,
  publicKey: { ...passkey.publicKey },
  algorithm: passkey.algorithm,
  isBackedUp: passkey.isBackedUp,
  isThisDevice: session?.passkeyId === passkey.id,
  createdAtMs: passkey.createdAtMs,
  lastUsedAtMs: passkey.lastUsedAtMs,
  copiedAtMs: passkey.copiedAtMs,
});

const noSuchPasskey = refusal('passkey.unknown', 'there is no such device, or it was removed already');

async function ownPasskey(rows: StoreReader, subjectId: string, id: string): Promise<Passkey | null> {
  const found = await rows.passkeys.passkey(id);
  return found?.subjectId === subjectId && found.revokedAtMs === null ? found : null;
}

/** Returns the renamed passkey; fails if this person does not have the passkey, or if the passkey was removed. */
export function renameDevice(
  parts: ServerParts,
  subjectId: string,
  id: string,
  name: string,
): Promise<Result<Passkey, Refusal>> {
  return change(parts, async (rows) => {
    const passkey = await ownPasskey(rows, subjectId, id);
    if (passkey === null || !(await rows.passkeys.renamePasskey(id, name))) return failed(noSuchPasskey);
    rows.record(plainEvent('passkey.renamed', subjectId, parts.clock.nowMs(), { passkeyId: id, name }));
    return success({ ...passkey, name });
  });
}

/**
 * Removes a device and ends its sessions. Fails if this person does not have the device. Also fails for the last device with which the
 * person can sign in, if the person has no recovery code.
 */
export function removeDevice(parts: ServerParts, subjectId: string, id: string): Promise<Result<null, Refusal>> {
  return change(parts, async (rows) => {
    await rows.lockRequest('devices', subjectId); // two removals at the same time must leave one device
    const passkey = await ownPasskey(rows, subjectId, id);
    if (passkey === null) return failed(noSuchPasskey);
    if (await isLastWayIn(parts, rows, passkey))
      return failed(
        refusal(
          'passkey.last',
          'this is your last way to sign in; register another device or make recovery codes first, or remove it on the server’s machine: apes owner devices remove ' +
            id,
        ),
      );
    await removePasskeyIn(rows, passkey, subjectId, parts.clock.nowMs());
    return success(null);
  });
}

/**
 * Removes a passkey and ends its sessions, even if the person has no other passkey. Returns false if the passkey was removed already.
 * @param by the subject that removes the passkey; null: the command line on the server's machine
 */
export async function removePasskeyIn(
  rows: StoreWriter,
  { id, name, subjectId }: Passkey,
  by: string | null,
  nowMs: number,
): Promise<boolean> {
  if (!(await rows.passkeys.revokePasskey(id, nowMs))) return false;
  rows.record(plainEvent('passkey.removed', by, nowMs, { passkeyId: id, name, of: subjectId }));
  return true;
}

async function isLastWayIn(parts: ServerParts, rows: StoreReader, passkey: Passkey): Promise<boolean> {
  const place = passkeyPlace(parts.publicUrl());
  if (place === null) return false;
  const usable = usableAt(place, await rows.passkeys.passkeysOf(passkey.subjectId));
  if (usable.length !== 1 || usable[0]?.id !== passkey.id) return false;
  return (await rows.passkeys.countRecoveryCodes(passkey.subjectId)) === 0;
}
