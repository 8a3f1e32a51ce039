/** Checks the answers of authenticators (Web Authentication Level 3). Only this file loads @simplewebauthn/server, at the first check. */
import { failed, type Result, success } from '../../core/result.ts';
import type { Assertion, Registration } from '../../core/wire/passkeys.ts';
import type { Passkey, PublicJwk } from '../../store/passkeys.ts';
import type { PasskeyPlace } from './passkey-place.ts';

/**
 * Why an answer of an authenticator is refused.
 * - `origin`:     the answer was made on a page of another origin
 * - `challenge`:  the answer is for another challenge
 * - `unverified`: the authenticator did not verify the user (PIN, fingerprint)
 * - `forged`:     the answer is not signed by this key, was made for another use or server, has a key of an unknown kind, or cannot be read
 */
export type AuthenticatorFault = 'origin' | 'challenge' | 'unverified' | 'forged';

/** ES256, EdDSA, RS256. */
export const PASSKEY_ALGORITHMS: readonly number[] = [-7, -8, -257];

/**
 * @property cose    the public key as the authenticator sent it (COSE), in base64url; `publicKey` is the same key
 * @property counter the signature counter of the authenticator; always 0 if the authenticator counts no signatures
 */
export interface RegisteredKey {
  readonly credentialId: string;
  readonly publicKey: PublicJwk;
  readonly cose: string;
  readonly algorithm: number;
  readonly counter: number;
  readonly isBackedUp: boolean;
}

/** Checks that an authenticator made this key for this challenge on a page of this server, and that the authenticator verified the user. */
export async function checkRegistration(
  registration: Registration,
  place: PasskeyPlace,
  challenge: string,
): Promise<Result<RegisteredKey, AuthenticatorFault>> {
  const fault = clientDataFault(registration.clientDataJSON, 'webauthn.create', place, challenge);
  if (fault !== null) return failed(fault);
  const { credentialId, clientDataJSON, attestationObject, transports } = registration;
  const library = await import('@simplewebauthn/server');
  try {
    const { registrationInfo } = await library.verifyRegistrationResponse({
      response: {
        id: credentialId,
        rawId: credentialId,
        type: 'public-key',
        clientExtensionResults: {},
        response: { clientDataJSON, attestationObject, transports: [...transports] as never },
      },
      expectedChallenge: challenge,
      expectedOrigin: place.origin,
      expectedRPID: place.rpId,
      requireUserVerification: false, // checked below, where its failure is `unverified`
      supportedAlgorithmIDs: [...PASSKEY_ALGORITHMS],
    });
    if (registrationInfo === undefined || registrationInfo.credential.id !== credentialId) return failed('forged');
    if (!registrationInfo.userVerified) return failed('unverified');
    const { publicKey, counter } = registrationInfo.credential;
    const key = await jwkOf(publicKey);
    if (key === null) return failed('forged');
    const cose = Buffer.from(publicKey).toString('base64url');
    return success({ credentialId, ...key, cose, counter, isBackedUp: registrationInfo.credentialBackedUp });
  } catch {
    return failed('forged'); // the library throws for everything that it does not accept
  }
}

export interface SignedAssertion {
  readonly counter: number;
  readonly isUserVerified: boolean;
  readonly isBackedUp: boolean;
}

/** Checks that this passkey signed this challenge on a page of this server. The caller compares the counter, and demands user verification. */
export async function checkAssertion(
  passkey: Pick<Passkey, 'credentialId' | 'cose'>,
  assertion: Assertion,
  place: PasskeyPlace,
  challenge: string,
): Promise<Result<SignedAssertion, AuthenticatorFault>> {
  const fault = clientDataFault(assertion.clientDataJSON, 'webauthn.get', place, challenge);
  if (fault !== null) return failed(fault);
  const { credentialId, authenticatorData, clientDataJSON, signature } = assertion;
  const library = await import('@simplewebauthn/server');
  try {
    const { verified, authenticationInfo } = await library.verifyAuthenticationResponse({
      response: {
        id: credentialId,
        rawId: credentialId,
        type: 'public-key',
        clientExtensionResults: {},
        response: { authenticatorData, clientDataJSON, signature },
      },
      expectedChallenge: challenge,
      expectedOrigin: place.origin,
      expectedRPID: place.rpId,
      requireUserVerification: false, // the caller checks it
      // The library checks the counter before the signature. If the library got the stored counter, a forged answer could make a key look
      // copied. So this code passes the counter 0, which turns off the library's counter check. The caller compares the counters after the
      // signature check.
      credential: {
        id: passkey.credentialId,
        publicKey: new Uint8Array(Buffer.from(passkey.cose, 'base64url')),
        counter: 0,
      },
    });
    if (!verified || credentialId !== passkey.credentialId) return failed('forged');
    const { newCounter, userVerified, credentialBackedUp } = authenticationInfo;
    return success({ counter: newCounter, isUserVerified: userVerified, isBackedUp: credentialBackedUp });
  } catch {
    return failed('forged');
  }
}

/** Returns the challenge in the client data; null: the challenge cannot be read. Does not check the signature. */
export const signedChallenge = (clientDataJSON: string): string | null => readClientData(clientDataJSON).challenge;

interface ClientData {
  readonly type: string | null;
  readonly challenge: string | null;
  readonly origin: string | null;
}

function readClientData(clientDataJSON: string): ClientData {
  try {
    const read: unknown = JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString('utf8'));
    const { type, challenge, origin } = (read ?? {}) as Readonly<Record<string, unknown>>;
    const text = (value: unknown) => (typeof value === 'string' ? value : null);
    return { type: text(type), challenge: text(challenge), origin: text(origin) };
  } catch {
    return { type: null, challenge: null, origin: null };
  }
}

/** Checks type, origin and challenge before the library does. So the person learns whether the origin or the challenge is wrong. */
function clientDataFault(
  clientDataJSON: string,
  type: string,
  place: PasskeyPlace,
  challenge: string,
): AuthenticatorFault | null {
  const data = readClientData(clientDataJSON);
  if (data.type !== type) return 'forged';
  if (data.origin !== place.origin) return 'origin';
  return data.challenge === challenge ? null : 'challenge';
}

/** Makes a JWK from a COSE key (labels: RFC 9053); null for a kind of key with which hosts cannot verify a signature. */
async function jwkOf(cose: Uint8Array): Promise<{ readonly publicKey: PublicJwk; readonly algorithm: number } | null> {
  const { decodeCredentialPublicKey } = await import('@simplewebauthn/server/helpers');
  const key = decodeCredentialPublicKey(new Uint8Array(cose)) as unknown as ReadonlyMap<number, unknown>;
  const part = (label: number): string => Buffer.from(key.get(label) as Uint8Array).toString('base64url');
  const algorithm = Number(key.get(3));
  switch (`${String(key.get(1))}/${algorithm}`) {
    case '1/-8':
      return key.get(-1) === 6 ? { algorithm, publicKey: { kty: 'OKP', crv: 'Ed25519', x: part(-2) } } : null;
    case '2/-7':
      return key.get(-1) === 1 ? { algorithm, publicKey: { kty: 'EC', crv: 'P-256', x: part(-2), y: part(-3) } } : null;
    case '3/-257':
      return { algorithm, publicKey: { kty: 'RSA', n: part(-1), e: part(-2) } };
    default:
      return null;
  }
}
