/** Whether one name is probably the other one with a typing error. */

/**
 * Returns true if `one` becomes `other` by few changes: a letter is added, removed or replaced. At most two changes are few, and at most
 * one for each three letters of `one`. Equal names are near.
 */
export function isNear(one: string, other: string): boolean {
  return distance(one, other) <= Math.min(2, Math.floor(one.length / 3));
}

/** Levenshtein's distance, row by row. */
function distance(one: string, other: string): number {
  let before = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let i = 1; i <= one.length; i++) {
    const row = [i];
    for (let j = 1; j <= other.length; j++)
      row.push(
        Math.min(
          (before[j] ?? 0) + 1,
          (row[j - 1] ?? 0) + 1,
          (before[j - 1] ?? 0) + (one[i - 1] === other[j - 1] ? 0 : 1),
        ),
      );
    before = row;
  }
  return before.at(-1) ?? 0;
}
