/** Seals with a passkey: makes what the browser needs to sign a document, and checks and records the signature. */
import { plainEvent } from '../../core/grant/audit-event.ts';
import { success } from '../../core/result.ts';
import { sealedText } from '../../core/sealed/sealed-text.ts';
import type { PasskeyRequest } from '../../core/wire/passkeys.ts';
import type { ApproversDocument, DecisionDocument, SealedDecision } from '../../core/wire/sealed.ts';
import { challengeOfText } from '../../platform/passkey-signature.ts';
import type { Passkey } from '../../store/passkeys.ts';
import type { Subject } from '../../store/store.ts';
import type { Refusal } from '../refusal.ts';
import type { ServerParts } from '../server-ports.ts';
import { OLDEST_SEAL_MS } from './approver-keys.ts';
import { acceptAssertion } from './passkey-assertion.ts';
import { passkeyPlace } from './passkey-place.ts';
import { credentialsOf, PASSKEY_TIMEOUT_MS, usableAt } from './passkey-request.ts';

/** Returns null if none of these passkeys can sign on a page of this server. */
export function requestToSeal(
  { publicUrl }: Pick<ServerParts, 'publicUrl'>,
  document: DecisionDocument | ApproversDocument,
  passkeys: readonly Passkey[],
): PasskeyRequest | null {
  const place = passkeyPlace(publicUrl());
  const text = sealedText(document);
  const credentials = place === null ? [] : credentialsOf(usableAt(place, passkeys));
  if (place === null || text === null || credentials.length === 0) return null;
  return { challenge: challengeOfText(text), rpId: place.rpId, credentials, timeoutMs: PASSKEY_TIMEOUT_MS };
}

/**
 * Returns null if this seal is a new signature by that person's own passkey over exactly this document; stores the new counter.
 * Returns null also for a seal by another kind of key, and does not check it. The approval itself checks that the document is
 * what is approved, and that the passkey is on the list of approvers.
 */
export async function confirmBySeal(
  parts: ServerParts,
  { id: subjectId }: Subject,
  { document, seal }: SealedDecision,
): Promise<Refusal | null> {
  if (seal.kind !== 'passkey') return null;
  const { keyId: credentialId, authenticatorData, clientDataJSON, signature } = seal;
  const wanted = {
    challenge: challengeOfText(sealedText(document) ?? ''),
    subjectId,
    mustVerifyUser: true,
    spentUntilMs: document.decidedAtMs + OLDEST_SEAL_MS,
  };
  const assertion = { credentialId, authenticatorData, clientDataJSON, signature };
  const used = await acceptAssertion(parts, wanted, assertion, async (rows, { passkey, subject }) => {
    const facts = { verb: 'seal', passkeyId: passkey.id, name: passkey.name };
    rows.record(plainEvent('passkey.confirmed', subject.id, parts.clock.nowMs(), facts));
    return success(null);
  });
  return used.ok ? null : used.failure;
}
