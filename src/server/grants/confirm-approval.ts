/** Demands a passkey for an approval whose risk is above the owner's setting. The passkey signs exactly this approval. */
import { type Result, success } from '../../core/result.ts';
import type { ApproveBatchBody, ApproveBody } from '../../core/wire/decisions.ts';
import type { Caller } from '../identity/authentication.ts';
import { confirmByPasskey } from '../identity/confirm-by-passkey.ts';
import { isAbove, passkeyAbove } from '../identity/passkey-above.ts';
import { confirmByBatch, confirmBySeal } from '../identity/seal-by-passkey.ts';
import type { Refusal } from '../refusal.ts';
import { read, type ServerParts } from '../server-ports.ts';
import { approvalRisk } from './approval-risk.ts';
import { unsealedRefusal } from './seal-approval.ts';
import { visibleGrant } from './visible-grant.ts';

/**
 * Returns null if the approver has confirmed the approval, or needs no passkey for it. A caller without a session needs no passkey. But a
 * seal by a passkey is checked for every caller. The transaction that approves does not check again whether a passkey is needed.
 */
export async function confirmApproval(
  parts: ServerParts,
  caller: Caller,
  grantId: string,
  { assertion, ...about }: ApproveBody,
): Promise<Refusal | null> {
  // A seal by a passkey also confirms the approval, so one prompt is enough.
  if (about.sealed?.seal.kind === 'passkey') return confirmBySeal(parts, caller.subject, about.sealed);
  if (caller.session === null) return null;
  const needs = await needsPasskey(parts, caller, grantId, about);
  if (!needs.ok) return needs.failure;
  if (!needs.value) return null;
  return confirmByPasskey(
    parts,
    caller,
    { verb: 'approve', about: { grantId, ...about }, isNeededWhenFresh: true },
    assertion,
  );
}

/**
 * Returns null if one signature of the approver confirms all these approvals, or if no approval needs a passkey. Returns a refusal if the
 * grant of an approval cannot be read, because this approval may need a passkey.
 */
export async function confirmBatch(
  parts: ServerParts,
  caller: Caller,
  { grants, sealed, assertion }: ApproveBatchBody,
): Promise<Refusal | null> {
  if (sealed !== undefined) return confirmByBatch(parts, caller.subject, sealed.documents, sealed.seal);
  if (caller.session === null) return null;
  for (const { id } of grants) {
    const needs = await needsPasskey(parts, caller, id, {});
    if (!needs.ok) return needs.failure;
    if (needs.value)
      return confirmByPasskey(
        parts,
        caller,
        { verb: 'approve', about: { grants }, isNeededWhenFresh: true },
        assertion,
      );
  }
  return null;
}

const needsPasskey = (
  parts: ServerParts,
  { subject }: Caller,
  grantId: string,
  about: Pick<ApproveBody, 'scope' | 'sealed'>,
): Promise<Result<boolean, Refusal>> =>
  read(parts, async (rows) => {
    const grant = await visibleGrant(rows, grantId, subject);
    if (!grant.ok) return grant;
    const limit = await passkeyAbove(rows);
    // If the grant is not pending or a needed seal is missing, a prompt would be useless: the transaction refuses the approval, and
    // says why.
    const isOpen = grant.value.state === 'pending' && unsealedRefusal(grant.value, about) === null;
    return success(isOpen && isAbove(await approvalRisk(parts, rows, grant.value, about.scope ?? null), limit));
  });
