/** JSON in which equal values have equal texts. Member names are sorted by code units. There are no blanks outside of strings. */

/** The deepest nesting of a value. Deeper values are unreadable for people, and crash some JSON parsers. */
const MAX_DEPTH = 100;

/**
 * Returns null in two cases: the value contains something that JSON cannot express (`undefined`, NaN), or is nested too deep.
 * @param value plain data, for example from `JSON.parse`. A Date or a Map would become `{}`
 * @param depth the nesting depth of `value`. Only the recursion passes this argument
 */
export function canonicalJson(value: unknown, depth = 0): string | null {
  if (depth > MAX_DEPTH) return null;
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'number') return Number.isFinite(value) ? JSON.stringify(value) : null;
  if (typeof value !== 'object') return null;
  const parts = Array.isArray(value)
    ? value.map((item) => canonicalJson(item, depth + 1))
    : Object.entries(value)
        .sort(([left], [right]) => (left < right ? -1 : 1))
        .map(([name, item]) => {
          const text = canonicalJson(item, depth + 1);
          return text === null ? null : `${JSON.stringify(name)}:${text}`;
        });
  if (parts.includes(null)) return null;
  return Array.isArray(value) ? `[${parts.join(',')}]` : `{${parts.join(',')}}`;
}
