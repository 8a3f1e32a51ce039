/**
 * Finds path texts that some tools read as another path. The gate reads a path as the kernel does. A tool that expands, decodes or trims
 * the text would reach a file that the request does not name.
 */

/** Pairs: a pattern, and what some tools do with a path text that matches the pattern. The words continue "some tools …". */
const READINGS: readonly (readonly [RegExp, string])[] = [
  [/^~/, 'read ~ as the home directory (write a file with such a name as ./~)'],
  [/^@/, 'drop an @ at the beginning (write a file with such a name as ./@)'],
  [/^(?:[a-z][a-z0-9+.-]*:\/|file:)/i, 'read it as an address'],
  [/\\/, 'drop a backslash, or read it as a slash'],
  [/^[\s\p{Cc}]|[\s\p{Cc}]$/u, 'drop a blank at the beginning or at the end'],
];

const DECODED = /%[0-9a-f]{2}/i;

/**
 * Returns what some tools do with this text, in words that continue "some tools …". Returns null if all tools read the same path.
 * @param bases directories in which the tool works. If the text begins with such a directory, a `%` in this beginning does not count
 */
export function otherReading(asked: string, bases: readonly string[] = []): string | null {
  const found = READINGS.find(([form]) => form.test(asked));
  if (found !== undefined) return found[1];
  const base = bases.find((each) => asked.startsWith(`${each}/`));
  return DECODED.test(base === undefined ? asked : asked.slice(base.length)) ? 'decode % and two digits' : null;
}
