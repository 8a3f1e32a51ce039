/** Demands a passkey for an approval whose risk is above the owner's setting. The signature is for exactly what is approved. */
import { success } from '../../core/result.ts';
import type { ApproveBody } from '../../core/wire/decisions.ts';
import type { Caller } from '../identity/authentication.ts';
import { confirmByPasskey } from '../identity/confirm-by-passkey.ts';
import { isAbove, passkeyAbove } from '../identity/passkey-above.ts';
import { confirmBySeal } from '../identity/seal-by-passkey.ts';
import type { Refusal } from '../refusal.ts';
import { read, type ServerParts } from '../server-ports.ts';
import { approvalRisk } from './approval-risk.ts';
import { unsealedRefusal } from './seal-approval.ts';
import { visibleGrant } from './visible-grant.ts';

/**
 * Returns null if the approver has confirmed the approval, or needs no passkey for it. A request never changes, so the transaction
 * that approves finds the same risk.
 */
export async function confirmApproval(
  parts: ServerParts,
  caller: Caller,
  grantId: string,
  { assertion, ...about }: ApproveBody,
): Promise<Refusal | null> {
  // A seal by a passkey is also a confirmation by it, so one prompt is enough.
  if (about.sealed?.seal.kind === 'passkey') return confirmBySeal(parts, caller.subject, about.sealed);
  if (caller.session === null) return null;
  const needs = await read(parts, async (rows) => {
    const grant = await visibleGrant(rows, grantId, caller.subject);
    if (!grant.ok) return grant;
    const limit = await passkeyAbove(rows);
    // What the transaction refuses anyway, with its own message, takes no passkey.
    const isOpen = grant.value.state === 'pending' && unsealedRefusal(grant.value, about) === null;
    return success(isOpen && isAbove(await approvalRisk(parts, rows, grant.value, about.scope ?? null), limit));
  });
  if (!needs.ok) return needs.failure;
  if (!needs.value) return null;
  return confirmByPasskey(parts, caller, { verb: 'approve', about: { grantId, ...about }, isAsked: true }, assertion);
}
