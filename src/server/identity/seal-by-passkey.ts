/** A decision that is sealed with a passkey: what the authenticator is asked for, and its use on record as any other. */
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

/** Null where none of these passkeys can sign on a page of this server. */
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
 * Null: this seal is a signature of that person's own passkey, made now for exactly this document; its counter has moved on.
 * Whether the document is the approval, and the passkey on the list of approvers, is looked at with the approval itself.
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
