/** Identifies a directory by more than its path: while a request waits, someone can put another directory at the same path. */
import { statSync } from 'node:fs';
import { type Failure, failure } from '../core/failure.ts';
import { visibleLine } from '../core/text/visible-text.ts';

/** Codes of stat(2) for a path that leads to no file. */
const NO_FILE: readonly unknown[] = ['ENOENT', 'ENOTDIR'];

/** The identity of a directory that cannot be examined, for example because access is denied. Such a directory counts as replaced. */
const UNKNOWN = 'unknown';

/**
 * Returns device, inode number and birth time of the file at `path`; follows links. Returns an empty text if there is no file, and
 * `UNKNOWN` if stat(2) fails for another reason. The birth time is necessary because the kernel reuses inode numbers: ext4 gives a freed
 * number to the next new directory. On overlayfs, the first write into a directory of a lower layer changes the directory's birth time.
 * Such a directory counts as replaced.
 */
export function identityOf(path: string): string {
  try {
    const { dev, ino, birthtimeNs } = statSync(path, { bigint: true });
    return `${dev}:${ino}:${birthtimeNs}`;
  } catch (error) {
    return NO_FILE.includes((error as NodeJS.ErrnoException).code) ? '' : UNKNOWN;
  }
}

/**
 * Returns null if the path still leads to the directory of `before`, else a `refused` failure.
 * @param before an earlier result of `identityOf`; empty: `path` must still lead to no file
 */
export const checkPlaceUnchanged = (path: string, before: string): Failure | null =>
  isSame(before, identityOf(path)) ? null : placeReplaced(path);

const isSame = (before: string, now: string): boolean => before === now && before !== UNKNOWN;

/**
 * Returns a `refused` failure if one of the paths no longer leads to the directory of `before`, else null. Call this function only if a
 * process has had the directory as its working directory ever since `before` was read. The kernel does not reuse the inode number of a
 * directory in use, so this function does not compare the birth time.
 */
export function checkHeldPlaceUnchanged(before: string, ...paths: readonly string[]): Failure | null {
  const changed = paths.find((path) => !isSame(inodeIn(before), inodeIn(identityOf(path))));
  return changed === undefined ? null : placeReplaced(changed);
}

const inodeIn = (identity: string): string => identity.split(':', 2).join(':');

export const placeReplaced = (path: string): Failure =>
  failure(
    'refused',
    `refused: the directory was replaced after the request was made: ${visibleLine(path)}`,
    'ask again in the directory that is meant',
  );
