/** Texts with stars, for rules that forbid. Each star is any text: a rule that forbids may match too much. */

/** The literals between the stars. A single literal means that the text has no star. */
export type Stars = readonly string[];

export const readStars = (text: string): Stars => text.split(/\*+/);

/**
 * Whether the whole text matches. The text may have any length; the comparison takes time in proportion to the number of stars times this
 * length.
 */
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

/** Whether some text that begins with `beginning` matches. */
export function mayMatchStars(literals: Stars, beginning: string): boolean {
  const [head = ''] = literals;
  return head.startsWith(beginning) || (literals.length > 1 && beginning.startsWith(head));
}
