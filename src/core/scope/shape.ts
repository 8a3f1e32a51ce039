/** Simple checks of a value of unknown shape. */
import type { ScopeFault } from '../files/file-scope.ts';

/** Longest text in a scope or a rule: a path, a URL. */
const MAX_CHARACTERS = 4_096;

export const unfit = (message: string): ScopeFault => ({ kind: 'unfit', message });
export const forbidden = (message: string): ScopeFault => ({ kind: 'forbidden', message });

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Whether the value has only members with these names. A member that a newer version added may be a condition that this version does not know. */
export const hasOnly = (value: object, names: readonly string[]): boolean =>
  Object.keys(value).every((name) => names.includes(name));

/** Whether the value is a text that is not empty, has no NUL, and has at most 4096 characters. */
export const isText = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && value.length <= MAX_CHARACTERS && !value.includes('\0');

export const isList = (value: unknown, most: number): value is readonly unknown[] =>
  Array.isArray(value) && value.length <= most;
