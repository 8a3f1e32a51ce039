/** The current content of a file, to show what would change in it. */
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { decodeUtf8 } from './utf8.ts';

/** Larger files are not compared line by line. */
const MAX_BYTES = 2 * 1024 * 1024;

/** The text of a regular file; null if there is no such file, or it is a symbolic link, large, unreadable or not text. Never blocks on a pipe. */
export function readText(path: string): string | null {
  let descriptor: number;
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    return null;
  }
  try {
    const stat = fstatSync(descriptor);
    if (!stat.isFile() || stat.size > MAX_BYTES) return null;
    const text = decodeUtf8(readFileSync(descriptor));
    return text === null || text.includes('\0') ? null : text;
  } catch {
    return null;
  } finally {
    closeSync(descriptor);
  }
}
