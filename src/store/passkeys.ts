/** The part of the port about people who decide: their passkeys, their recovery codes, and the settings they share. */
import type { Subject } from './store.ts';

/** The public key of a passkey (RFC 7517): P-256, Ed25519 or RSA. */
export interface PublicJwk {
  readonly kty: string;
  readonly crv?: string;
  readonly x?: string;
  readonly y?: string;
  readonly n?: string;
  readonly e?: string;
}

/**
 * A passkey of a person. It stays in the database after its removal, because decisions were signed with it.
 * @property rpId         the name of the server it was made for; browsers use it nowhere else
 * @property credentialId the authenticator's id for it, base64url
 * @property cose         the same public key as the authenticator gave it, base64url
 * @property algorithm    its COSE number
 * @property counter      of signatures, as last seen; always 0 if the authenticator does not count
 * @property isBackedUp   whether a password manager has it, so that several devices may have it
 * @property copiedAtMs   when its counter went back, which means a copy; it is not accepted from then on
 */
export interface Passkey {
  readonly id: string;
  readonly subjectId: string;
  readonly rpId: string;
  readonly credentialId: string;
  readonly publicKey: PublicJwk;
  readonly cose: string;
  readonly algorithm: number;
  readonly counter: number;
  readonly transports: readonly string[];
  readonly isBackedUp: boolean;
  readonly name: string;
  readonly createdAtMs: number;
  readonly lastUsedAtMs: number | null;
  readonly copiedAtMs: number | null;
  readonly revokedAtMs: number | null;
}

/** One use of a passkey; `counterBefore` is the counter that was stored before it. */
export interface PasskeyUse {
  readonly id: string;
  readonly counterBefore: number;
  readonly counter: number;
  readonly isBackedUp: boolean;
  readonly atMs: number;
}

export interface PasskeyReader {
  passkey(id: string): Promise<Passkey | undefined>;
  passkeyByCredential(credentialId: string): Promise<Passkey | undefined>;
  /** Those that were not removed, the oldest first; also those that were put aside. */
  passkeysOf(subjectId: string): Promise<readonly Passkey[]>;
  /** The number of unused ones. */
  countRecoveryCodes(subjectId: string): Promise<number>;
  recoveryCodeIsLive(hash: string): Promise<boolean>;
  /** Returns all subjects that decide or audit, the oldest first. */
  approvers(): Promise<readonly Subject[]>;
  /** Undefined: the setting was never set. */
  ownerSetting(name: string): Promise<string | undefined>;
}

/** Each function that returns a boolean is compare-and-set: false means that nothing changed. */
export interface PasskeyWriter extends PasskeyReader {
  insertPasskey(passkey: Passkey): Promise<void>;
  renamePasskey(id: string, name: string): Promise<boolean>;
  /** Does nothing, and returns false, unless its counter is `counterBefore` and it was neither removed nor put aside. */
  usePasskey(use: PasskeyUse): Promise<boolean>;
  /** Also ends the sessions that belong to it. */
  revokePasskey(id: string, atMs: number): Promise<boolean>;
  /** For a passkey that may be a copy: it is not accepted any more, and its sessions end. */
  putPasskeyAside(id: string, atMs: number): Promise<boolean>;
  /** From now on the session ends with this passkey, unless it already belongs to one. */
  bindSession(hash: string, passkeyId: string): Promise<void>;
  /** The codes of before are not accepted any more. */
  replaceRecoveryCodes(subjectId: string, hashes: readonly string[], atMs: number): Promise<void>;
  /** The first call for an unused code returns its subject; every later one returns undefined. */
  spendRecoveryCode(hash: string, atMs: number): Promise<string | undefined>;
  setOwnerSetting(name: string, value: string): Promise<void>;
}
