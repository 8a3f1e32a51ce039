/** Reads the current content of a file, to show what a command would change in the file. */
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { decodeUtf8 } from './utf8.ts';

/** Larger files are not compared line by line. */
const MAX_BYTES = 2 * 1024 * 1024;

/**
 * Returns the text of a regular file. Returns null if the file does not exist, is a symbolic link, is larger than 2 MiB, cannot be read,
 * is not UTF-8, or has a NUL byte. Never blocks on a pipe.
 */
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
