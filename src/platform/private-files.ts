/** Directories (0700) and files (0600) that only our user can use. A check or a read refuses wider permissions, and repairs nothing. */
import {
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { type Failure, failure } from '../core/failure.ts';
import { failed, type Result, success } from '../core/result.ts';

const ownUid = (): number => process.getuid?.() ?? 0;

/** Returns the code of a system error, such as `ENOENT`; the text `unknown error` for an error without a code. */
const errorCode = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'unknown error';

/**
 * Creates the directory and its parents if they are missing. Returns null, or a failure (exit status 78) in these cases:
 * - the directory cannot be created
 * - the directory belongs to another user, or another user can use the directory
 */
export function ensurePrivateDirectory(path: string): Failure | null {
  try {
    makeDirectories(path);
  } catch (error) {
    return failure(
      'configuration',
      `cannot make the directory ${path} (${errorCode(error)})`,
      'make it, or set APES_HOME',
    );
  }
  return checkPrivate(path, 'directory');
}

/** Makes a directory. Another process may make the same directory meanwhile. */
function makeOne(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
  }
}

/** `mkdirSync` with `recursive` never returns if a parent exists but allows no new directory (seen under /proc, Node 20). */
function makeDirectories(path: string): void {
  try {
    makeOne(path);
  } catch (error) {
    const parent = dirname(path);
    if (errorCode(error) !== 'ENOENT' || parent === path) throw error;
    if (!existsSync(parent)) makeDirectories(parent);
    makeOne(path);
  }
}

/** Returns null if only we can use the path, else the failure (78). A symbolic link always fails: a link can lead anywhere. */
export function checkPrivate(path: string, what: 'directory' | 'file'): Failure | null {
  let stat: ReturnType<typeof lstatSync>;
  try {
    stat = lstatSync(path);
  } catch (error) {
    return failure('configuration', `cannot look at ${path} (${errorCode(error)})`);
  }
  return refuseWide(path, what, stat);
}

function refuseWide(
  path: string,
  what: 'directory' | 'file',
  stat: { isDirectory(): boolean; isFile(): boolean; uid: number; mode: number },
): Failure | null {
  if (what === 'directory' ? !stat.isDirectory() : !stat.isFile())
    return failure('configuration', `${path} is not a plain ${what}`, 'move it away');
  if (stat.uid !== ownUid())
    return failure(
      'configuration',
      `${path} belongs to user id ${stat.uid}, not to ${ownUid()}`,
      'use a place of your own (APES_HOME)',
    );
  if ((stat.mode & 0o077) !== 0) {
    const mode = what === 'directory' ? '700' : '600';
    return failure(
      'configuration',
      `${path} can be used by others (mode ${(stat.mode & 0o777).toString(8)})`,
      `chmod ${mode} ${path}`,
    );
  }
  return null;
}

/** Returns the text of a private file; null: the file does not exist. Fails (78) if the file is not private or cannot be read. */
export function readPrivateFile(path: string): Result<string | null, Failure> {
  let descriptor: number;
  try {
    // Without O_NONBLOCK, the opening of a FIFO would wait for a writer.
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return success(null);
    return failed(failure('configuration', `cannot read ${path} (${errorCode(error)})`));
  }
  try {
    const wide = refuseWide(path, 'file', fstatSync(descriptor));
    return wide === null ? success(readFileSync(descriptor, 'utf8')) : failed(wide);
  } catch (error) {
    return failed(failure('configuration', `cannot read ${path} (${errorCode(error)})`));
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Replaces the file atomically (a new file, fsync(2), rename(2)): a reader gets the old text or the new text. Does not check who can use
 * the old file. Without a call of `syncDirectory`, a system crash can undo the replacement. Returns null, or the failure (71).
 */
export function writePrivateFile(path: string, text: string): Failure | null {
  const fresh = `${path}.${process.pid}.new`;
  try {
    const descriptor = openSync(
      fresh,
      constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW,
      0o600,
    );
    try {
      fchmodSync(descriptor, 0o600);
      writeFileSync(descriptor, text); // writes all, or fails; writeSync can write only a part when the disk becomes full
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(fresh, path);
    return null;
  } catch (error) {
    try {
      unlinkSync(fresh);
    } catch {
      // The file was never created.
    }
    return failure(
      'system',
      `cannot write ${path} (${errorCode(error)})`,
      errorCode(error) === 'ENOSPC' ? 'make room on the disk' : undefined,
    );
  }
}

/** Waits until all earlier changes of the names in this directory are on the disk (fsync(2)). Returns null, or the failure (71). */
export function syncDirectory(path: string): Failure | null {
  try {
    const descriptor = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
    try {
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    return null;
  } catch (error) {
    return failure('system', `cannot write ${path} to the disk (${errorCode(error)})`);
  }
}

export { errorCode };
