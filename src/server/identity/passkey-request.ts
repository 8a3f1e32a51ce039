/** What a browser is asked to sign with a passkey. */
import type { PasskeyRequest } from '../../core/wire/passkeys.ts';
import type { Passkey } from '../../store/passkeys.ts';
import type { ServerParts } from '../server-ports.ts';
import { type ChallengeBinding, newPasskeyChallenge } from './passkey-challenge.ts';
import { type PasskeyPlace, passkeyPlace } from './passkey-place.ts';

/** The browser gives up then; the challenge lives longer. */
export const PASSKEY_TIMEOUT_MS = 120_000;

/** Those that a browser can use here: made for our name, and not put aside. */
export const usableAt = (place: PasskeyPlace, passkeys: readonly Passkey[]): readonly Passkey[] =>
  passkeys.filter(({ rpId, copiedAtMs }) => rpId === place.rpId && copiedAtMs === null);

export const credentialsOf = (passkeys: readonly Passkey[]): PasskeyRequest['credentials'] =>
  passkeys.map(({ credentialId, transports }) => ({ id: credentialId, transports }));

/** Null where this server has no name. Without `passkeys` the person chooses among those of the device. */
export function passkeyRequest(
  parts: ServerParts,
  binding: ChallengeBinding,
  passkeys: readonly Passkey[],
): PasskeyRequest | null {
  const place = passkeyPlace(parts.publicUrl());
  if (place === null) return null;
  return {
    challenge: newPasskeyChallenge(parts, binding),
    rpId: place.rpId,
    credentials: credentialsOf(usableAt(place, passkeys)),
    timeoutMs: PASSKEY_TIMEOUT_MS,
  };
}
