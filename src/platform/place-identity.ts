/** Which directory a path means, beyond its name: while a request waits, another can be put in its place. */
import { statSync } from 'node:fs';
import { type Failure, failure } from '../core/failure.ts';

/** Device and inode, or null when there is nothing. */
export function identityOf(path: string): string | null {
  try {
    const { dev, ino } = statSync(path, { bigint: true });
    return `${dev}:${ino}`;
  } catch {
    return null;
  }
}

/** @param before what `identityOf` said when it was asked for */
export const checkPlaceUnchanged = (path: string, before: string | null): Failure | null =>
  before === identityOf(path) ? null : replaced(path);

export const replaced = (path: string): Failure =>
  failure(
    'refused',
    `refused: the directory was replaced after this was asked: ${path}`,
    'ask again in the directory that is meant',
  );
