/** Makes and removes the shim: a directory in which `bash` is a link to ape-shell, for harnesses that run `bash` from PATH. */
import { lstatSync, mkdirSync, readlinkSync, renameSync, rmdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { type Failure, failure } from '../core/failure.ts';
import { errorCode } from '../platform/private-files.ts';

/**
 * Makes the link `bash`, or replaces the file of this name. A link that already leads to `shell` stays: several harnesses share the
 * directory. Returns null on success.
 */
export function putShim(directory: string, shell: string): Failure | null {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o755 });
    if (targetIn(directory) === shell) return null;
    const fresh = join(directory, `.bash-${process.pid}`);
    rmSync(fresh, { force: true });
    symlinkSync(shell, fresh);
    renameSync(fresh, join(directory, 'bash'));
    return null;
  } catch (error) {
    return failure('system', `cannot make ${join(directory, 'bash')} (${errorCode(error)})`, 'look at the directory');
  }
}

/**
 * Removes the link `bash`, whatever its target. Then removes the directory if no file is left in it. Does nothing if `bash` is not a link.
 * Returns null on success.
 */
export function removeShim(directory: string): Failure | null {
  const file = join(directory, 'bash');
  try {
    if (targetIn(directory) === null) return null;
    rmSync(file, { force: true });
  } catch (error) {
    return failure('system', `cannot remove ${file} (${errorCode(error)})`, 'look at the directory');
  }
  try {
    rmdirSync(directory);
  } catch {
    // The directory has other files.
  }
  return null;
}

/**
 * Returns where the link `bash` in this directory leads. Returns null if `bash` is not a link or does not exist, or if the directory cannot
 * be searched.
 */
export function shimTarget(directory: string): string | null {
  try {
    return targetIn(directory);
  } catch {
    return null;
  }
}

function targetIn(directory: string): string | null {
  const file = join(directory, 'bash');
  return lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true ? readlinkSync(file) : null;
}
