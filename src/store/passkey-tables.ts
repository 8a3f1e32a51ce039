/** The rows of passkeys and recovery codes. Converts passkeys to rows, and rows to passkeys. */
import type { Passkey, PublicJwk } from './passkeys.ts';

export interface PasskeyRow {
  id: string;
  subject_id: string;
  rp_id: string;
  credential_id: string;
  public_key: string;
  cose: string;
  algorithm: number;
  counter: number;
  transports: string;
  is_backed_up: number;
  name: string;
  created_at_ms: number;
  last_used_at_ms: number | null;
  copied_at_ms: number | null;
  revoked_at_ms: number | null;
}

export interface RecoveryCodeRow {
  hash: string;
  subject_id: string;
  created_at_ms: number;
  used_at_ms: number | null;
}

export const passkeyOf = (row: PasskeyRow): Passkey => ({
  id: row.id,
  subjectId: row.subject_id,
  rpId: row.rp_id,
  credentialId: row.credential_id,
  publicKey: JSON.parse(row.public_key) as PublicJwk,
  cose: row.cose,
  algorithm: row.algorithm,
  counter: row.counter,
  transports: JSON.parse(row.transports) as readonly string[],
  isBackedUp: row.is_backed_up === 1,
  name: row.name,
  createdAtMs: row.created_at_ms,
  lastUsedAtMs: row.last_used_at_ms,
  copiedAtMs: row.copied_at_ms,
  revokedAtMs: row.revoked_at_ms,
});

export const passkeyRow = (passkey: Passkey): PasskeyRow => ({
  id: passkey.id,
  subject_id: passkey.subjectId,
  rp_id: passkey.rpId,
  credential_id: passkey.credentialId,
  public_key: JSON.stringify(passkey.publicKey),
  cose: passkey.cose,
  algorithm: passkey.algorithm,
  counter: passkey.counter,
  transports: JSON.stringify(passkey.transports),
  is_backed_up: passkey.isBackedUp ? 1 : 0,
  name: passkey.name,
  created_at_ms: passkey.createdAtMs,
  last_used_at_ms: passkey.lastUsedAtMs,
  copied_at_ms: passkey.copiedAtMs,
  revoked_at_ms: passkey.revokedAtMs,
});
