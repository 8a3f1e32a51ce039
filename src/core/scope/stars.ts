/** Text with stars, where each star is any text: for rules that forbid, where matching too much is safe. */

/** The literals around the stars; a single literal means that the text has no star. */
export type Stars = readonly string[];

export const readStars = (text: string): Stars => text.split(/\*+/);

/** Whether all of the text matches, however long the text is. The time is linear for each star. */
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

/** Whether some text with this beginning matches. */
export function mayMatchStars(literals: Stars, beginning: string): boolean {
  const [head = ''] = literals;
  return head.startsWith(beginning) || (literals.length > 1 && beginning.startsWith(head));
}
