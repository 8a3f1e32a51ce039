/** The origin of an address on the web, as browsers read it (WHATWG URL). */

/** One way to write it, no slash at the end: `https://example.com` or `https://example.com/approvals`. @param text a URL */
export function plainAddress(text: string): string {
  const { origin, pathname } = new URL(text);
  return origin + pathname.replace(/\/+$/, '');
}

/**
 * Scheme, host and port: `https://example.com`. Null for what is no http or https address, holds a name or a password,
 * or is written so that two parsers may find two hosts in it.
 */
export function webOrigin(text: string): string | null {
  // Blanks and controls are cut out by some readers, and a backslash is a slash to some.
  if (/[\s\p{C}\\]/u.test(text) || !/^https?:\/\/[^/?#@]+(?:[/?#]|$)/i.test(text)) return null;
  try {
    const { origin, protocol, username, password } = new URL(text);
    const isWeb = protocol === 'http:' || protocol === 'https:';
    return isWeb && username === '' && password === '' ? origin : null;
  } catch {
    return null;
  }
}
