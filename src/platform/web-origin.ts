/** The origin and the normal form of an address on the web, as browsers read it (WHATWG URL). */

/**
 * The origin and path of a URL, without a slash at the end: `https://example.com` or `https://example.com/approvals`.
 * @throws TypeError if the text is no URL
 */
export function plainAddress(text: string): string {
  const { origin, pathname } = new URL(text);
  return origin + pathname.replace(/\/+$/, '');
}

/**
 * Scheme, host and port: `https://example.com`. Null if the text is no http or https address, if it has a user name or a password,
 * or if two parsers can find different hosts in it.
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
