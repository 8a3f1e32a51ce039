/** Which directory a path means, beyond its name: while a request waits, another can be put in its place. */
import { statSync } from 'node:fs';
import { type Failure, failure } from '../core/failure.ts';

/**
 * Device, inode and time of birth: inodes are given out again, to the very next directory on ext4. Empty when there is nothing.
 * On overlayfs a directory of a lower layer has another birth after the first write into it: it counts as replaced then.
 */
export function identityOf(path: string): string {
  try {
    const { dev, ino, birthtimeNs } = statSync(path, { bigint: true });
    return `${dev}:${ino}:${birthtimeNs}`;
  } catch {
    return '';
  }
}

/** @param before what `identityOf` said when it was asked for */
export const checkPlaceUnchanged = (path: string, before: string): Failure | null =>
  before === identityOf(path) ? null : replaced(path);

/** For the working directory of this process: it is held, so its inode is not given out again, and its birth need not be looked at. */
export function checkHeldPlaceUnchanged(before: string, ...paths: readonly string[]): Failure | null {
  const changed = paths.find((path) => inodeIn(identityOf(path)) !== inodeIn(before));
  return changed === undefined ? null : replaced(changed);
}

const inodeIn = (identity: string): string => identity.split(':', 2).join(':');

export const replaced = (path: string): Failure =>
  failure(
    'refused',
    `refused: the directory was replaced after this was asked: ${path}`,
    'ask again in the directory that is meant',
  );
