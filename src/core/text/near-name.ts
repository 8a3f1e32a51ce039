/** Finds out whether a name is probably another name with a typing error. */

/**
 * Returns true if few changes turn `one` into `other`: at most two changes, and at most one change for every three letters of `one`. A
 * change adds, removes or replaces one letter. Equal names are near.
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
