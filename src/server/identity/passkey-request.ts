/** Makes the request that asks a browser to sign a challenge with a passkey. */
import type { PasskeyRequest } from '../../core/wire/passkeys.ts';
import type { Passkey } from '../../store/passkeys.ts';
import type { ServerParts } from '../server-ports.ts';
import { type ChallengeBinding, newPasskeyChallenge } from './passkey-challenge.ts';
import { type PasskeyPlace, passkeyPlace } from './passkey-place.ts';

/** The browser gives up after this time. The challenge is valid for longer. */
export const PASSKEY_TIMEOUT_MS = 120_000;

/** Returns the passkeys for the host name of `place`, without the passkeys that may be copies (`copiedAtMs`). */
export const usableAt = (place: PasskeyPlace, passkeys: readonly Passkey[]): readonly Passkey[] =>
  passkeys.filter(({ rpId, copiedAtMs }) => rpId === place.rpId && copiedAtMs === null);

export const credentialsOf = (passkeys: readonly Passkey[]): PasskeyRequest['credentials'] =>
  passkeys.map(({ credentialId, transports }) => ({ id: credentialId, transports }));

/**
 * Makes a request with a new challenge, and stores nothing. Returns null if the server has no host name (`passkeyPlace`). If none of
 * `passkeys` is usable here, the request names no passkey. The person then chooses one of the passkeys on the device.
 */
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
