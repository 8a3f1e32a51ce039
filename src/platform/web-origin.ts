/** Reads web addresses in the same way as browsers (WHATWG URL). */

/**
 * Returns the origin and path of a URL, without a slash at the end: `https://example.com` or `https://example.com/approvals`.
 * @throws TypeError if the text is no URL
 */
export function plainAddress(text: string): string {
  const { origin, pathname } = new URL(text);
  return origin + pathname.replace(/\/+$/, '');
}

/**
 * Returns scheme, host and port: `https://example.com`. Returns null in these cases:
 * - The text is no http or https address.
 * - The address has a user name or a password.
 * - Two parsers can find different hosts in the text.
 */
export function webOrigin(text: string): string | null {
  // Some parsers remove blanks and control characters, and some read a backslash as a slash.
  if (/[\s\p{C}\\]/u.test(text) || !/^https?:\/\/[^/?#@]+(?:[/?#]|$)/i.test(text)) return null;
  try {
    const { origin, protocol, username, password } = new URL(text);
    const isWeb = protocol === 'http:' || protocol === 'https:';
    return isWeb && username === '' && password === '' ? origin : null;
  } catch {
    return null;
  }
}
