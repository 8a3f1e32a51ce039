/** Simple checks of a value of unknown shape. */

/** The longest text in a scope or a rule, such as a path or a URL, in UTF-16 code units. */
const MAX_CHARACTERS = 4_096;

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Whether the value has only members with these names. Callers refuse a value with another member. That member may be a condition that
 * only a newer version checks.
 */
export const hasOnly = (value: object, names: readonly string[]): boolean =>
  Object.keys(value).every((name) => names.includes(name));

/** Whether the value is a text that is not empty, has no NUL, and is not longer than `MAX_CHARACTERS`. */
export const isText = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && value.length <= MAX_CHARACTERS && !value.includes('\0');

/** Returns the value if it is a list; otherwise an empty list. */
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

export const isList = (value: unknown, most: number): value is readonly unknown[] =>
  Array.isArray(value) && value.length <= most;
