/** JSON in which equal values have equal texts: names sorted by code units, no blanks. */

/** A value that is nested deeper is refused: no person can read it, and some JSON parsers crash on it. */
const MAX_DEPTH = 100;

/** Returns null if JSON cannot express the value, or it is nested too deep. */
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
