/** Makes the document that an approver would sign for an approval. */
import type { Grant } from '../../core/grant/grant.ts';
import { failed, type Result, success } from '../../core/result.ts';
import { sealedText } from '../../core/sealed/sealed-text.ts';
import type { DecisionDocument, DecisionToSeal } from '../../core/wire/sealed.ts';
import type { Passkey } from '../../store/passkeys.ts';
import type { StoreReader, Subject } from '../../store/store.ts';
import { type OwnKeysOnList, ownKeysOnList } from '../identity/approver-keys.ts';
import { requestToSeal } from '../identity/seal-by-passkey.ts';
import { type Refusal, refusal } from '../refusal.ts';
import { read, type ServerParts } from '../server-ports.ts';
import { approvalAuthority } from './approval-authority.ts';
import { grantAfterEvent } from './grant-changes.ts';
import { eventOfCommand, type GrantCommand } from './grant-command.ts';
import { documentOf } from './seal-approval.ts';
import { visibleGrant } from './visible-grant.ts';

type Approve = Extract<GrantCommand, { readonly kind: 'approve' }>;

/**
 * Makes the document for the approval that `command` describes, and changes nothing. The approver signs the document, and then approves
 * with the same command and the signed document. `passkey` is absent if no passkey of the approver can sign on a page of this server.
 * Fails in three cases: The approver may not see the grant. The approver has no key on the list of approvers. The approver cannot give
 * this approval now.
 */
export function approvalToSeal(
  parts: ServerParts,
  by: Subject,
  grantId: string,
  command: Approve,
): Promise<Result<DecisionToSeal, Refusal>> {
  return read(parts, async (rows) => {
    const grant = await visibleGrant(rows, grantId, by);
    if (!grant.ok) return grant;
    const own = await ownKeysOnList(rows, by);
    if (!own.ok) return own;
    const document = await documentToSeal(parts, rows, by, { grant: grant.value, command, own: own.value });
    if (!document.ok) return document;
    const keys = own.value.keys.map(({ keyId, kind, name }) => ({ keyId, kind, name }));
    const passkey = requestToSeal(parts, sealedText(document.value), await ownPasskeys(rows, by, own.value));
    const needed = grant.value.sealedOnly === true ? { needed: true as const } : {};
    return success({ document: document.value, keys, ...(passkey === null ? {} : { passkey }), ...needed });
  });
}

interface ToSeal {
  readonly grant: Grant;
  readonly command: Approve;
  readonly own: OwnKeysOnList;
}

/** Returns the document that this approver would sign for this approval now, or why the approval is not possible. */
export async function documentToSeal(
  parts: ServerParts,
  rows: StoreReader,
  by: Subject,
  { grant, command, own }: ToSeal,
): Promise<Result<DecisionDocument, Refusal>> {
  const nowMs = parts.clock.nowMs();
  const authority = await approvalAuthority(parts, rows, by, grant, command.scope, nowMs);
  if (!authority.ok) return authority;
  const event = await eventOfCommand(command, by, grant, rows, parts, nowMs);
  const next = grantAfterEvent(grant, command, event, nowMs);
  if (!next.ok) return next;
  const document = documentOf(parts, by, next.value, nowMs, own.list.document.sequence);
  return document === null ? failed(refusal('seal.unfit', 'this approval cannot be sealed')) : success(document);
}

/** Returns the passkeys of this approver that are on the list of approvers. */
export async function ownPasskeys(
  rows: StoreReader,
  by: Subject,
  { keys }: OwnKeysOnList,
): Promise<readonly Passkey[]> {
  const admitted = new Set(keys.map(({ keyId }) => keyId));
  return (await rows.passkeys.passkeysOf(by.id)).filter(({ credentialId }) => admitted.has(credentialId));
}
