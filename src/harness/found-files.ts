/**
 * Reads files in which a project or the user can have settings. A missing or unreadable file counts as empty, because the harness cannot
 * read it either.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { parseJsonc, plainValue } from '../core/text/jsonc.ts';
import { isObject, type JsonObject } from './tool-call.ts';

/** Returns the names in a directory, sorted; an empty list if the directory cannot be read. */
export function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}

/** Returns the text of a file; null if it cannot be read. */
export function foundText(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}

/** Parses a JSON object, which can have comments. Returns null for every other text, and for null. */
export function objectOfText(text: string | null): JsonObject | null {
  const parsed = text === null ? null : parseJsonc(text);
  const value = parsed?.ok === true ? plainValue(parsed.value) : null;
  return isObject(value) ? value : null;
}

/** Returns the object in a JSON file; null if the file cannot be read, or its text is not one JSON object. */
export const foundObject = (file: string): JsonObject | null => objectOfText(foundText(file));
