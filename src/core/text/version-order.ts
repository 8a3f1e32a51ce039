/** Compares versions: numbers between dots. `1.2.0-rc1` is earlier than `1.2.0`. */

/**
 * Compares number by number, up to the first difference; a missing number counts as 0. Texts after the hyphen are compared as strings.
 * Negative: `one` is earlier; 0: both are equal; positive: `one` is later; NaN: the comparison has met a part that is not a number.
 */
export function compareVersions(one: string, other: string): number {
  const [left, right] = [partsOf(one), partsOf(other)];
  for (let at = 0; at < Math.max(left.numbers.length, right.numbers.length); at++) {
    const difference = (left.numbers[at] ?? 0) - (right.numbers[at] ?? 0);
    if (difference !== 0) return difference;
  }
  if (left.rest === right.rest) return 0;
  if (left.rest === '' || right.rest === '') return left.rest === '' ? 1 : -1;
  return left.rest < right.rest ? -1 : 1;
}

function partsOf(version: string): { readonly numbers: readonly number[]; readonly rest: string } {
  const [numbers = '', ...rest] = version.split('-');
  return { numbers: numbers.split('.').map(Number), rest: rest.join('-') };
}
