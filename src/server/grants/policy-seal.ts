/** Seals policies that let something run: makes the document that an approver signs, and checks the signed document. */

import type { Policy } from '../../core/policy/policy.ts';
import { failed, type Result, success } from '../../core/result.ts';
import { approverWith } from '../../core/sealed/approver-list.ts';
import { policyDocument } from '../../core/sealed/decision-document.ts';
import { isSameDocument, sealedText } from '../../core/sealed/sealed-text.ts';
import type { PolicyDocument, PolicyToSeal, SealedPolicy } from '../../core/wire/sealed.ts';
import type { StoreReader, Subject } from '../../store/store.ts';
import { documentAgeRefusal, ownKeysOnList, sealRefusalOf } from '../identity/approver-keys.ts';
import { requestToSeal } from '../identity/seal-by-passkey.ts';
import { type Refusal, refusal } from '../refusal.ts';
import type { ServerParts } from '../server-ports.ts';
import { ownPasskeys } from './approval-to-seal.ts';

const NEEDS_NO_SEAL = refusal('seal.unfit', 'a policy that forbids needs no seal; make the policy without a seal');

/**
 * Makes the document of a policy, for the approver `by` to sign. Fails in two cases: `by` has no key on the list of approvers, or the
 * policy forbids. A policy that forbids needs no seal.
 */
export async function policyDocumentFor(
  parts: ServerParts,
  rows: StoreReader,
  by: Subject,
  policy: Policy,
): Promise<Result<PolicyToSeal, Refusal>> {
  const own = await ownKeysOnList(rows, by);
  if (!own.ok) return own;
  const document = documentOfPolicy(parts, policy, parts.clock.nowMs(), own.value.list.document.sequence);
  if (document === null) return failed(NEEDS_NO_SEAL);
  const keys = own.value.keys.map(({ keyId, kind, name }) => ({ keyId, kind, name }));
  const passkey = requestToSeal(parts, sealedText(document), await ownPasskeys(rows, by, own.value));
  return success({ document, keys, ...(passkey === null ? {} : { passkey }) });
}

const documentOfPolicy = (
  { serverKey }: Pick<ServerParts, 'serverKey'>,
  policy: Policy,
  decidedAtMs: number,
  approversSequence: number,
): PolicyDocument | null =>
  policy.effect === 'deny'
    ? null
    : policyDocument({ server: serverKey.publicKey, decidedAtMs, approversSequence }, policy);

const POLICY_ID = /^p_[a-z2-7]{26}$/;

/**
 * Returns the policy with its seal, and stores nothing. Fails in these cases:
 * - The policy forbids.
 * - The document is not for exactly this policy, or its time is refused (`documentAgeRefusal`).
 * - The id of the policy is malformed, or a stored policy has the same id.
 * - The seal was not made for this document with a key that this approver has on the list of approvers.
 */
export async function withPolicySeal(
  parts: ServerParts,
  rows: StoreReader,
  by: Subject,
  policy: Policy,
  { document, seal }: SealedPolicy,
): Promise<Result<Policy, Refusal>> {
  const own = await ownKeysOnList(rows, by);
  if (!own.ok) return own;
  if (policy.effect === 'deny') return failed(NEEDS_NO_SEAL);
  const late = documentAgeRefusal(document.decidedAtMs, parts.clock.nowMs());
  if (late !== null) return failed(late);
  const { list } = own.value;
  const expected = documentOfPolicy(parts, policy, document.decidedAtMs, list.document.sequence);
  const isNew = POLICY_ID.test(policy.id) && (await rows.policy(policy.id)) === undefined;
  if (!isNew || expected === null || !isSameDocument(expected, document))
    return failed(refusal('seal.unfit', 'the signed document is not for this policy; decide again'));
  const unfit = sealRefusalOf(expected, seal, own.value);
  const name = approverWith(list.document, seal.keyId)?.name;
  const sealed: SealedPolicy = { document: expected, seal, ...(name === undefined ? {} : { by: name }) };
  return unfit === null ? success({ ...policy, sealed }) : failed(unfit);
}
