/** Computes the length of a text in UTF-8 without encoding the text. */

/** Returns the length in bytes. A lone surrogate counts three bytes: encoders replace it by U+FFFD. */
export function utf8Length(text: string): number {
  let bytes = 0;
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }
  return bytes;
}
