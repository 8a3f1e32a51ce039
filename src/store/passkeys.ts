/** The part of the port to the database that is about people who decide: their passkeys, recovery codes, and the settings they share. */
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
 * A passkey of a person. It stays in the database after its removal: decisions were signed with it.
 * @property rpId         the name it was made for; browsers use it nowhere else
 * @property credentialId base64url, as the authenticator calls it
 * @property cose         the same public key as the authenticator gave it, base64url
 * @property algorithm    by its COSE number
 * @property counter      of signatures, as last seen; 0 for ever where the authenticator does not count
 * @property isBackedUp   whether a password manager holds it, so that several devices may have it
 * @property copiedAtMs   when its counter went back, as that of a copy does; it is not accepted from then on
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

/** One use of a passkey, over the counter that was seen before. */
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
  /** Those that were not removed, the oldest first; one that may be a copy is among them. */
  passkeysOf(subjectId: string): Promise<readonly Passkey[]>;
  /** Unused ones. */
  countRecoveryCodes(subjectId: string): Promise<number>;
  recoveryCodeIsLive(hash: string): Promise<boolean>;
  /** Everybody who decides or audits, the oldest first. */
  approvers(): Promise<readonly Subject[]>;
  /** Undefined: it was never set. */
  ownerSetting(name: string): Promise<string | undefined>;
}

/** What gives a boolean is compare-and-set: false means that nothing changed. */
export interface PasskeyWriter extends PasskeyReader {
  insertPasskey(passkey: Passkey): Promise<void>;
  renamePasskey(id: string, name: string): Promise<boolean>;
  /** Only while its counter is `counterBefore`, and it was neither removed nor put aside. */
  usePasskey(use: PasskeyUse): Promise<boolean>;
  /** Ends the sessions that belong to it as well. */
  revokePasskey(id: string, atMs: number): Promise<boolean>;
  /** It may be a copy: it is not accepted any more, and its sessions end. */
  putPasskeyAside(id: string, atMs: number): Promise<boolean>;
  /** The session ends with this passkey from now on, unless it belongs to one already. */
  bindSession(hash: string, passkeyId: string): Promise<void>;
  /** The codes before are worth nothing any more. */
  replaceRecoveryCodes(subjectId: string, hashes: readonly string[], atMs: number): Promise<void>;
  /** The subject of an unused code, once; undefined ever after. */
  spendRecoveryCode(hash: string, atMs: number): Promise<string | undefined>;
  setOwnerSetting(name: string, value: string): Promise<void>;
}
