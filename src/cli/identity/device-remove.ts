/**
 * `apes owner devices remove`: removes a device, and removes its passkey from the list of approvers. The device cannot sign in any more.
 */
import { failure, failureText } from '../../core/failure.ts';
import { success } from '../../core/result.ts';
import { visibleLine } from '../../core/text/visible-text.ts';
import { systemClock } from '../../platform/clock.ts';
import type { CliContext } from '../context.ts';
import { answering, type Ending, failing } from '../ending.ts';
import { withOwnDatabase } from '../server/own-server.ts';

/** @param id the whole id of the device */
export async function deviceRemove(context: CliContext, id: string): Promise<Ending> {
  const removed = await withOwnDatabase(context, async (store) => {
    const { removeDeviceById, sealingKeyOf } = await import('../../server/identity/device-administration.ts');
    const keyId = await sealingKeyOf(store, id);
    if (!keyId.ok) return keyId;
    const done = await removeDeviceById(store, id, { nowMs: systemClock.nowMs() });
    return done.ok ? success({ done: done.value, keyId: keyId.value }) : done;
  });
  if (!removed.ok) return failing(removed.failure);
  const { done, keyId } = removed.value;
  if (done !== 'removed')
    return failing(
      failure('usage', `there is no device ${visibleLine(id)}`, 'apes owner devices list shows the devices'),
    );
  if (keyId === null) return answering({ removed: id, approvers: 'unchanged' }, 'removed; its sessions have ended\n');
  return dropPasskeyFromList(context, id, keyId);
}

/**
 * Removes the passkey from the list of approvers: hosts accept the seals of every passkey on the list. If this fails, the message names the
 * command that removes the passkey.
 */
async function dropPasskeyFromList(context: CliContext, id: string, keyId: string): Promise<Ending> {
  const { dropApprover } = await import('../approvers/change-list.ts');
  const dropped = await dropApprover(context, keyId);
  if (dropped.ok)
    return answering(
      { removed: id, approvers: 'changed' },
      'removed; its sessions have ended, and its seals do not count any more\n',
    );
  context.err(
    `apes: the passkey of the device is still on the list of approvers, so hosts accept its approvals. Remove it: apes approvers remove ${keyId} (${failureText(dropped.failure)})\n`,
  );
  return answering({ removed: id, approvers: 'still listed' }, 'removed; its sessions have ended\n');
}
