/** The identity of a directory beyond its path: while a request waits, another directory can take its place. */
import { statSync } from 'node:fs';
import { type Failure, failure } from '../core/failure.ts';
import { visibleLine } from '../core/text/visible-text.ts';

/**
 * Device, inode and birth time, because the kernel reuses inode numbers (ext4 gives a freed one to the next new directory). Empty when
 * there is no file. On overlayfs the first write into a directory of a lower layer changes its birth time: it then counts as replaced.
 */
export function identityOf(path: string): string {
  try {
    const { dev, ino, birthtimeNs } = statSync(path, { bigint: true });
    return `${dev}:${ino}:${birthtimeNs}`;
  } catch {
    return '';
  }
}

/** @param before the result of `identityOf` at the time of the request */
export const checkPlaceUnchanged = (path: string, before: string): Failure | null =>
  before === identityOf(path) ? null : replaced(path);

/** For the working directory of this process: while in use its inode is not reused, so this does not compare the birth time. */
export function checkHeldPlaceUnchanged(before: string, ...paths: readonly string[]): Failure | null {
  const changed = paths.find((path) => inodeIn(identityOf(path)) !== inodeIn(before));
  return changed === undefined ? null : replaced(changed);
}

const inodeIn = (identity: string): string => identity.split(':', 2).join(':');

export const replaced = (path: string): Failure =>
  failure(
    'refused',
    `refused: the directory was replaced after this was asked: ${visibleLine(path)}`,
    'ask again in the directory that is meant',
  );
