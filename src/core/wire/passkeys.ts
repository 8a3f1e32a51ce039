/** The schemas for passkeys: requests to a browser, the results of the browser, and the passkeys that the API shows. */
import { Type } from 'typebox';
import { closed, Id, literals, Milliseconds, nullable, type Shape } from './schema-parts.ts';

/** Bytes from an authenticator, in base64url. */
const bytes = (maxLength: number) => Type.String({ pattern: '^[A-Za-z0-9_-]+$', maxLength });
const CredentialId = bytes(1_400);
const ClientData = bytes(8_192);

const Transports = Type.Array(Type.String({ pattern: '^[a-z-]{1,24}$' }), { maxItems: 10 });
const KnownCredential = Type.Object({ id: CredentialId, transports: Transports });

/**
 * The arguments for `navigator.credentials.get`: the challenge to sign, in base64url, and the passkeys that may sign it. If the list is
 * empty, the person chooses a passkey.
 */
export const PasskeyRequestSchema = Type.Object({
  challenge: Type.String(),
  rpId: Type.String(),
  credentials: Type.Array(KnownCredential),
  timeoutMs: Type.Integer(),
});
export type PasskeyRequest = Shape<typeof PasskeyRequestSchema>;

/**
 * The arguments for `navigator.credentials.create`. `challenge` and `userId` are base64url. `algorithms`: COSE numbers. `known`: the
 * passkeys that the person has already. A device with one of these passkeys is not registered again.
 */
export const PasskeyCreationSchema = Type.Object({
  challenge: Type.String(),
  rpId: Type.String(),
  userId: Type.String(),
  userName: Type.String(),
  algorithms: Type.Array(Type.Integer()),
  known: Type.Array(KnownCredential),
  timeoutMs: Type.Integer(),
});
export type PasskeyCreation = Shape<typeof PasskeyCreationSchema>;

/**
 * The result of `navigator.credentials.get`: a signature over a challenge. `userHandle`: the id of the person, which the passkey contains;
 * null or absent: the authenticator did not return the id.
 */
export const AssertionSchema = Type.Object(
  {
    credentialId: CredentialId,
    authenticatorData: bytes(8_192),
    clientDataJSON: ClientData,
    signature: bytes(2_048),
    userHandle: Type.Optional(nullable(bytes(128))),
  },
  closed,
);
export type Assertion = Shape<typeof AssertionSchema>;

/** The result of `navigator.credentials.create`. */
const RegistrationSchema = Type.Object(
  {
    credentialId: CredentialId,
    clientDataJSON: ClientData,
    attestationObject: bytes(32_768),
    transports: Transports,
  },
  closed,
);
export type Registration = Shape<typeof RegistrationSchema>;

const NameSchema = Type.String({ minLength: 1, maxLength: 64 });

/**
 * The body of a call that changes how a person signs in or decides. The caller first calls without an assertion, and gets the challenge
 * to sign. Then the caller sends the same call with the assertion.
 */
export const ConfirmedBodySchema = Type.Object({ assertion: Type.Optional(AssertionSchema) }, closed);

export const PasskeyBodySchema = Type.Object({ name: NameSchema, registration: RegistrationSchema }, closed);
export const RenameBodySchema = Type.Object({ name: NameSchema }, closed);
export const PasskeySignInBodySchema = Type.Object({ assertion: AssertionSchema }, closed);
export const RecoverySignInBodySchema = Type.Object({ code: Type.String({ maxLength: 64 }) }, closed);
/** `location`: the page to which the browser goes after the sign-in, as a path below the server's public address. */
export const SignedInSchema = Type.Object({ location: Type.String() });

/**
 * - `publicKey`:    as a JWK (RFC 7517)
 * - `algorithm`:    the COSE number of the signature algorithm
 * - `isBackedUp`:   whether a password manager has the passkey, so that several devices can have it
 * - `isThisDevice`: true if the caller signed in with this passkey. If the caller signed in without a passkey, the first passkey that the
 *   caller registers after the sign-in has true
 * - `lastUsedAtMs`: null: the passkey has not been used since its registration
 * - `copiedAtMs`:   when an assertion did not increase the counter of the passkey. The passkey was possibly copied, so the server no
 *   longer accepts the passkey. Null: this did not happen
 */
export const PasskeyViewSchema = Type.Object({
  id: Id,
  name: Type.String(),
  rpId: Type.String(),
  credentialId: Type.String(),
  publicKey: Type.Record(Type.String(), Type.String()),
  algorithm: Type.Integer(),
  isBackedUp: Type.Boolean(),
  isThisDevice: Type.Boolean(),
  createdAtMs: Milliseconds,
  lastUsedAtMs: nullable(Milliseconds),
  copiedAtMs: nullable(Milliseconds),
});
export type PasskeyView = Shape<typeof PasskeyViewSchema>;

/** `passkeys`: the oldest first. `recoveryCodesLeft`: how many recovery codes are not used yet. */
export const PasskeyListSchema = Type.Object({
  passkeys: Type.Array(PasskeyViewSchema),
  recoveryCodesLeft: Type.Integer(),
});
/** Only this answer has the codes: the server stores only their hashes. */
export const RecoveryCodesSchema = Type.Object({ codes: Type.Array(Type.String()) });

/**
 * Up to this risk, a person with a passkey may approve without the passkey. `none`: each approval needs the passkey; `critical`: no
 * approval needs the passkey.
 */
const PasskeyAboveSchema = literals('none', 'low', 'medium', 'high', 'critical');
export type PasskeyAbove = Shape<typeof PasskeyAboveSchema>;
export const ApprovalSettingsSchema = Type.Object({ passkeyAbove: PasskeyAboveSchema });
export const ApprovalSettingsBodySchema = Type.Object(
  { passkeyAbove: PasskeyAboveSchema, assertion: Type.Optional(AssertionSchema) },
  closed,
);
