/** Quotes one word, so that bash gets exactly this word from the quoted text. */

/**
 * Returns the word unquoted if no character is special. Otherwise uses single quotes, or `$'…'` if there are control characters. `A=b` and
 * keywords such as `if` stay unquoted, so the result must not be the first word of a command. The word must not contain a NUL character:
 * bash ends the word there.
 */
export function quoteWord(word: string): string {
  if (/^[A-Za-z0-9_@%+=:,./-]+$/.test(word)) return word;
  if (!/[\u0000-\u001f\u007f]/.test(word)) return `'${word.replaceAll("'", "'\\''")}'`;
  const escaped = [...word].map((character) => {
    if (character === '\\' || character === "'") return `\\${character}`;
    const code = character.charCodeAt(0);
    return code < 0x20 || code === 0x7f ? `\\x${code.toString(16).padStart(2, '0')}` : character;
  });
  return `$'${escaped.join('')}'`;
}
