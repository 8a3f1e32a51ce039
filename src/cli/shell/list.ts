/** Reads and changes `/etc/shells`, the list of programs that may be a login shell (shells(5)). */
import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fsyncSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { type Failure, failure } from '../../core/failure.ts';
import { failed, type Result, success } from '../../core/result.ts';
import { errorCode } from '../../platform/private-files.ts';

const SHELLS_FILE = '/etc/shells';
/** The list is handled as bytes, one character for each byte: other lines need not be UTF-8. */
const bytesOf = (text: string): string => Buffer.from(text).toString('latin1');

/** Whether /etc/shells names this program. Fails (71) if the file is missing or cannot be read. */
export function isListed(shell: string, file = SHELLS_FILE): Result<boolean, Failure> {
  const text = readList(file);
  return text.ok ? success(text.value.split('\n').some((line) => isLineOf(line, bytesOf(shell)))) : text;
}

/**
 * Adds a line with this program at the end of the list. If a line already names the program, writes nothing and returns false.
 * Fails (77) if this user may not change the list. Fails (71) if the list is missing, or cannot be read or written.
 */
export function addToList(shell: string, file = SHELLS_FILE): Result<boolean, Failure> {
  return changeList(file, (text) => {
    if (text.split('\n').some((line) => isLineOf(line, bytesOf(shell)))) return text;
    return `${text}${text === '' || text.endsWith('\n') ? '' : '\n'}${bytesOf(shell)}\n`;
  });
}

/** Removes every line that names this program. Returns false if no line names it. Fails as `addToList` does. */
export function removeFromList(shell: string, file = SHELLS_FILE): Result<boolean, Failure> {
  return changeList(file, (text) =>
    text
      .split('\n')
      .filter((line) => !isLineOf(line, bytesOf(shell)))
      .join('\n'),
  );
}

/** As in getusershell(3) of glibc, a path begins at the first `/` in front of the first `#`, and ends at the next blank or `#`. */
const isLineOf = (line: string, shell: string): boolean => /^[^/#]*(\/[^\s#]*)/.exec(line)?.[1] === shell;

function readList(file: string): Result<string, Failure> {
  try {
    return success(readFileSync(file, 'latin1'));
  } catch (error) {
    return errorCode(error) === 'ENOENT'
      ? failed(
          failure(
            'system',
            `${file} is missing`,
            `make it as root, with the shells of this machine: echo /bin/bash > ${file}`,
          ),
        )
      : failed(failure('system', `cannot read ${file} (${errorCode(error)})`));
  }
}

function changeList(file: string, change: (text: string) => string): Result<boolean, Failure> {
  const text = readList(file);
  if (!text.ok) return text;
  const next = change(text.value);
  if (next === text.value) return success(false);
  const wrong = replaceFile(realpathSync.native(file), next);
  return wrong === null ? success(true) : failed(wrong);
}

/**
 * Writes a new file with the mode and owner of the list, syncs the new file and gives it the name of the list. So a login always finds
 * a whole list: the old list or the new list.
 */
function replaceFile(file: string, text: string): Failure | null {
  const fresh = `${file}.${process.pid}.new`;
  let isMade = false;
  try {
    const old = statSync(file);
    const descriptor = openSync(
      fresh,
      constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW,
      0o600,
    );
    isMade = true;
    try {
      writeFileSync(descriptor, text, 'latin1'); // writes all or fails; writeSync may write only a part when the disk is full
      fchownSync(descriptor, old.uid, old.gid);
      fchmodSync(descriptor, old.mode & 0o7777);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(fresh, file);
    return null;
  } catch (error) {
    if (isMade) unlinkSync(fresh);
    const code = errorCode(error);
    return code === 'EACCES' || code === 'EPERM'
      ? failure('refused', `only root may change ${file}`, 'run the same command with sudo')
      : failure(
          'system',
          `cannot write ${file} (${code})`,
          code === 'EROFS' ? 'the file is on a read-only file system' : undefined,
        );
  }
}
