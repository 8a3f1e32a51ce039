/** What lies where a project or the user may have settings. What is not there, or cannot be read, the harness does not find either. */
import { readdirSync, readFileSync } from 'node:fs';
import { parseJsonc, plainValue } from '../core/text/jsonc.ts';
import { isObject, type JsonObject } from './tool-call.ts';

/** The names in a directory, sorted; none where it cannot be read. */
export function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}

/** The text of a file, or null. */
export function foundText(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}

/** The object that a text of JSON says, comments allowed; null for any other text and for none. */
export function objectOfText(text: string | null): JsonObject | null {
  const parsed = text === null ? null : parseJsonc(text);
  const value = parsed?.ok === true ? plainValue(parsed.value) : null;
  return isObject(value) ? value : null;
}

export const foundObject = (file: string): JsonObject | null => objectOfText(foundText(file));
