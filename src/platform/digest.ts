/** Digests of texts and bytes. */
import { createHash } from 'node:crypto';

/** SHA-256 in lower-case hex (FIPS 180-4); a text is hashed as UTF-8. */
export const sha256Hex = (text: string | Uint8Array): string => createHash('sha256').update(text).digest('hex');
