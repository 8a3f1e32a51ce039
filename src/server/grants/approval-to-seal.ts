/** What an approval would be, as a document to sign. */
import { failed, type Result, success } from '../../core/result.ts';
import type { DecisionToSeal } from '../../core/wire/sealed.ts';
import type { Subject } from '../../store/store.ts';
import { approversFor } from '../identity/approver-keys.ts';
import { type Refusal, refusal } from '../refusal.ts';
import { read, type ServerParts } from '../server-ports.ts';
import { nextOf } from './grant-changes.ts';
import { eventOfCommand, type GrantCommand } from './grant-command.ts';
import { documentOf } from './seal-approval.ts';
import { visibleGrant } from './visible-grant.ts';

type Approve = Extract<GrantCommand, { readonly kind: 'approve' }>;

/** Changes nothing: the same words and this document, signed, are sent to `…/approve`. */
export function approvalToSeal(
  parts: ServerParts,
  by: Subject,
  grantId: string,
  command: Approve,
): Promise<Result<DecisionToSeal, Refusal>> {
  return read(parts, async (rows) => {
    const grant = await visibleGrant(rows, grantId, by);
    if (!grant.ok) return grant;
    const own = await approversFor(rows, by);
    if (!own.ok) return own;
    const nowMs = parts.clock.nowMs();
    const event = await eventOfCommand(command, by, grant.value, rows, parts, nowMs);
    const next = nextOf(grant.value, command, event, nowMs);
    if (!next.ok) return next;
    const document = documentOf(parts, next.value, nowMs, own.value.list.document.sequence);
    if (document === null) return failed(refusal('seal.unfit', 'this approval cannot be sealed'));
    return success({ document, keys: own.value.keys.map(({ keyId, kind, name }) => ({ keyId, kind, name })) });
  });
}
