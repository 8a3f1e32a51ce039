/** The part of the store about people who decide: passkeys, recovery codes, and the settings that all these people share. */
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
 * A passkey of a person. A removed passkey stays in the database, because decisions were signed with the passkey.
 * @property rpId         the name of the server for which the passkey was made; browsers use the passkey nowhere else
 * @property credentialId the authenticator's id for the passkey, base64url
 * @property cose         `publicKey` in the COSE form in which the authenticator sent it, base64url
 * @property algorithm    the COSE number of the signature algorithm
 * @property counter      the number of signatures that the authenticator last reported; always 0 if the authenticator does not count
 * @property isBackedUp   whether a password manager has the passkey. Then several devices can have the passkey
 * @property copiedAtMs   when the passkey was blocked, because a use did not increase its counter. The passkey may be a copy, and is not
 *                        accepted any more. Null: the passkey was not blocked
 * @property lastUsedAtMs null: not used since its registration
 * @property revokedAtMs  when the passkey was removed; null: not removed
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

/**
 * One use of a passkey.
 * @property counterBefore the counter that was stored before this use
 * @property counter       the counter that the authenticator reported with this use
 */
export interface PasskeyUse {
  readonly id: string;
  readonly counterBefore: number;
  readonly counter: number;
  readonly isBackedUp: boolean;
  readonly atMs: number;
}

export interface PasskeyReader {
  /** Also finds a passkey that was removed or blocked. */
  passkey(id: string): Promise<Passkey | undefined>;
  /** Also finds a passkey that was removed or blocked. */
  passkeyByCredential(credentialId: string): Promise<Passkey | undefined>;
  /** Returns the passkeys that were not removed, the oldest first; passkeys that were blocked are among them. */
  passkeysOf(subjectId: string): Promise<readonly Passkey[]>;
  /** Counts the unused codes. */
  countRecoveryCodes(subjectId: string): Promise<number>;
  /** Whether the code is known and unused, and its person was not revoked. */
  recoveryCodeIsLive(hash: string): Promise<boolean>;
  /** Returns all approvers and auditors, also revoked ones, the oldest first. Break-glass codes are not among them. */
  approvers(): Promise<readonly Subject[]>;
  /** Returns undefined if the setting was never set. */
  ownerSetting(name: string): Promise<string | undefined>;
}

/** A method that returns a boolean is compare-and-set: false means that the passkey did not change. */
export interface PasskeyWriter extends PasskeyReader {
  insertPasskey(passkey: Passkey): Promise<void>;
  /** Returns false if the passkey is unknown or was removed. */
  renamePasskey(id: string, name: string): Promise<boolean>;
  /** Records a use. Returns false if the passkey's counter is not `counterBefore`, or the passkey was removed or blocked. */
  usePasskey(use: PasskeyUse): Promise<boolean>;
  /** Removes a passkey, and ends its sessions. Returns false if the passkey is unknown or was removed before. */
  revokePasskey(id: string, atMs: number): Promise<boolean>;
  /** Blocks a passkey that may be a copy, and ends its sessions. Returns false if the passkey is unknown or was blocked before. */
  putPasskeyAside(id: string, atMs: number): Promise<boolean>;
  /**
   * Binds a session to this passkey, so that the session ends with the passkey. Changes nothing if the session already belongs to a
   * passkey.
   * @param hash the hash of the session's secret
   */
  bindSession(hash: string, passkeyId: string): Promise<void>;
  /** Stores new codes; the person's earlier codes are not accepted any more. */
  replaceRecoveryCodes(subjectId: string, hashes: readonly string[], atMs: number): Promise<void>;
  /**
   * Uses a recovery code. Returns the id of the code's person, even of a revoked person. Returns undefined if the code is unknown or was
   * used before.
   */
  spendRecoveryCode(hash: string, atMs: number): Promise<string | undefined>;
  setOwnerSetting(name: string, value: string): Promise<void>;
}
