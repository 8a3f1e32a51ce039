/**
 * Reads files in which a project or the user can have settings. An unreadable file counts as missing, because the harness cannot read
 * the file either.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
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

const MAX_BELOW = 10_000;

/**
 * Returns the paths of all files and folders below a folder, and follows links. A loop of links ends when Linux refuses to follow more
 * links (ELOOP). If there are more than 10,000 paths, returns 10,000 of them, and `isWhole` is false. An unreadable folder counts as empty.
 */
export function pathsBelow(folder: string): { readonly paths: readonly string[]; readonly isWhole: boolean } {
  const paths: string[] = [];
  const waiting = [folder];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    for (const name of namesIn(at)) {
      if (paths.length === MAX_BELOW) return { paths, isWhole: false };
      paths.push(join(at, name));
      waiting.push(join(at, name));
    }
  }
  return { paths, isWhole: true };
}

/** The finding for a folder with more than `MAX_BELOW` paths. */
export const notWholeLine = (folder: string): string =>
  `${folder}: it has more than ${MAX_BELOW} files, so some files were not examined`;

/** Returns the text of a file; null if it cannot be read. */
export function foundText(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}

/**
 * Parses a JSON object, which can have comments. Our parser refuses some texts, for example an object that has a name twice. For such a
 * text, this function uses `JSON.parse`, as the harnesses do. Returns null if the text is null or is not a JSON object.
 */
export function objectOfText(text: string | null): JsonObject | null {
  if (text === null) return null;
  const parsed = parseJsonc(text);
  const value = parsed.ok ? plainValue(parsed.value) : parsedByHarness(text);
  return isObject(value) ? value : null;
}

function parsedByHarness(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    return null;
  }
}

/** Returns the object in a JSON file; null if the file cannot be read, or its text is not one JSON object. */
export const foundObject = (file: string): JsonObject | null => objectOfText(foundText(file));
