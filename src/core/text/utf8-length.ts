/** The length of a text in UTF-8, computed without encoding it. */

/** Returns the length in bytes of UTF-8. A lone surrogate counts three bytes, like U+FFFD, which replaces it. */
export function utf8Length(text: string): number {
  let bytes = 0;
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }
  return bytes;
}
