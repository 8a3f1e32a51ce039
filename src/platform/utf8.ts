/** Decodes UTF-8. */

/** Returns the text; null: the bytes are not UTF-8. A byte order mark in the bytes stays in the text. */
export function decodeUtf8(bytes: Uint8Array): string | null {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  if (!text.includes('\uFFFD')) return text;
  return Buffer.from(text, 'utf8').equals(bytes) ? text : null;
}
