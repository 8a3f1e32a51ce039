/** Makes the request for a seal by a passkey. Checks the signature of such a seal, and records the use of the passkey. */
import { plainEvent } from '../../core/grant/audit-event.ts';
import { success } from '../../core/result.ts';
import { batchText } from '../../core/sealed/batch.ts';
import { sealedText } from '../../core/sealed/sealed-text.ts';
import type { PasskeyRequest } from '../../core/wire/passkeys.ts';
import type { DecisionDocument, Seal, SealedDecision, SealedPolicy } from '../../core/wire/sealed.ts';
import { documentDigest } from '../../platform/approver-key.ts';
import { challengeOfText } from '../../platform/passkey-signature.ts';
import type { Passkey } from '../../store/passkeys.ts';
import type { Subject } from '../../store/store.ts';
import { type Refusal, refusal } from '../refusal.ts';
import type { ServerParts } from '../server-ports.ts';
import { OLDEST_SEAL_MS } from './approver-keys.ts';
import { acceptAssertion } from './passkey-assertion.ts';
import { passkeyPlace } from './passkey-place.ts';
import { credentialsOf, PASSKEY_TIMEOUT_MS, usableAt } from './passkey-request.ts';

/**
 * Makes the request for a signature over the text. Returns null if `text` is null, or if none of these passkeys can sign on a page of this
 * server.
 * @param text the result of `sealedText` or `batchText`
 */
export function requestToSeal(
  { publicUrl }: Pick<ServerParts, 'publicUrl'>,
  text: string | null,
  passkeys: readonly Passkey[],
): PasskeyRequest | null {
  const place = passkeyPlace(publicUrl());
  const credentials = place === null ? [] : credentialsOf(usableAt(place, passkeys));
  if (place === null || text === null || credentials.length === 0) return null;
  return { challenge: challengeOfText(text), rpId: place.rpId, credentials, timeoutMs: PASSKEY_TIMEOUT_MS };
}

type PasskeySeal = Extract<Seal, { readonly kind: 'passkey' }>;

/**
 * Returns null in two cases:
 * - The seal is a new signature by this person's own passkey over exactly this document. This function then records the use of the
 *   passkey. So the same signature is refused later.
 * - The seal is by another kind of key. This function does not check such a seal.
 *
 * This function does not check whether the document fits, and whether the passkey is on the list of approvers. The transaction that stores
 * the approval (or the policy) makes these two checks.
 */
export async function confirmBySeal(
  parts: ServerParts,
  subject: Subject,
  { document, seal }: Pick<SealedDecision | SealedPolicy, 'document' | 'seal'>,
): Promise<Refusal | null> {
  if (seal.kind !== 'passkey') return null;
  if (seal.batch !== undefined) return BATCH_SEAL;
  const text = sealedText(document);
  if (text === null) return MALFORMED;
  return confirmBySignature(parts, subject, seal, { text, decidedAtMs: document.decidedAtMs });
}

const MALFORMED = refusal('seal.unfit', 'this document is nested too deep, so it cannot be signed');

const BATCH_SEAL = refusal(
  'seal.unfit',
  'this seal is for several decisions; send the decisions together to /v1/approvals',
);

/**
 * Returns null if the seal is a new signature by this person's own passkey over exactly these documents, in this order. Records the use of
 * the passkey, as `confirmBySeal` does.
 */
export async function confirmByBatch(
  parts: ServerParts,
  subject: Subject,
  documents: readonly DecisionDocument[],
  seal: PasskeySeal,
): Promise<Refusal | null> {
  const { batch = [] } = seal;
  const digests = documents.map(documentDigest);
  const text = batchText(batch);
  if (text === null || batch.length !== digests.length || digests.some((digest, at) => digest !== batch[at]))
    return refusal('seal.unfit', 'the signature is not for these decisions; look again and decide again');
  const decidedAtMs = Math.max(...documents.map((document) => document.decidedAtMs));
  return confirmBySignature(parts, subject, seal, { text, decidedAtMs });
}

async function confirmBySignature(
  parts: ServerParts,
  { id: subjectId }: Subject,
  { keyId: credentialId, authenticatorData, clientDataJSON, signature }: PasskeySeal,
  { text, decidedAtMs }: { readonly text: string; readonly decidedAtMs: number },
): Promise<Refusal | null> {
  const wanted = {
    challenge: challengeOfText(text),
    subjectId,
    mustVerifyUser: true,
    spentUntilMs: decidedAtMs + OLDEST_SEAL_MS,
  };
  const assertion = { credentialId, authenticatorData, clientDataJSON, signature };
  const used = await acceptAssertion(parts, wanted, assertion, async (rows, { passkey, subject }) => {
    const facts = { verb: 'seal', passkeyId: passkey.id, name: passkey.name };
    rows.record(plainEvent('passkey.confirmed', subject.id, parts.clock.nowMs(), facts));
    return success(null);
  });
  return used.ok ? null : used.failure;
}
