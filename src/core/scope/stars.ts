/**
 * Patterns with stars, for deny rules. A star matches every text: an empty text, and also a text with separators. A deny rule that matches
 * too much is safe.
 */

/** The literals between the stars. A pattern without a star is a single literal. */
export type Stars = readonly string[];

export const readStars = (text: string): Stars => text.split(/\*+/);

/** Whether the whole text matches. The search never goes back to an earlier star. So the search is fast, even in a long text. */
export function matchesStars(literals: Stars, text: string): boolean {
  const [head = '', ...others] = literals;
  const tail = others.pop();
  if (tail === undefined) return text === head;
  if (text.length < head.length + tail.length || !text.startsWith(head) || !text.endsWith(tail)) return false;
  let at = head.length;
  for (const literal of others) {
    const found = text.indexOf(literal, at);
    if (found < 0) return false;
    at = found + literal.length;
  }
  return at <= text.length - tail.length;
}

/** Whether `beginning` can be continued to a text that matches. */
export function mayMatchStars(literals: Stars, beginning: string): boolean {
  const [head = ''] = literals;
  return head.startsWith(beginning) || (literals.length > 1 && beginning.startsWith(head));
}
