/** Text with stars, each of them any text whatever: for rules that forbid, where too much is on the safe side. */

/** The literals around the stars; one alone: no star. */
export type Stars = readonly string[];

export const readStars = (text: string): Stars => text.split(/\*+/);

/** Whether all of the text matches, however long it is; in linear time for every star. */
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

/** Whether a text that begins so may match. */
export function mayMatchStars(literals: Stars, beginning: string): boolean {
  const [head = ''] = literals;
  return head.startsWith(beginning) || (literals.length > 1 && beginning.startsWith(head));
}
