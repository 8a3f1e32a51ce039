/** Reads the exact text that a one-shot call would run: the command string, all of standard input, or the script file. */
import { closeSync, constants, existsSync, fstatSync, openSync, readSync } from 'node:fs';
import { type Failure, failure, nothingRan } from '../core/failure.ts';
import { failed, type Result, success } from '../core/result.ts';
import { joinedPath } from '../platform/path-walk.ts';
import { errorCode } from '../platform/private-files.ts';
import { decodeUtf8 } from '../platform/utf8.ts';
import { goesThroughKernelFiles } from './kernel-files.ts';

/**
 * What to do about a command that is too long. In `bash FILE`, bash reads the file itself, and the approver sees the name of the
 * file as an argument.
 */
export const COMMAND_TOO_LONG = 'put the command into a file and run: bash FILE';

/** A human has to read the text, so a longer text is refused. */
const MAX_TEXT_BYTES = 2 * 1024 * 1024;

/**
 * Decodes UTF-8. Fails (65) for other bytes, a NUL byte, or more than 2 MiB.
 * @param what       names the text in the message
 * @param ifTooLong  what to do about a text that is too long
 */
export function readableText(bytes: Uint8Array, what: string, ifTooLong = 'shorten the text'): Result<string, Failure> {
  if (bytes.length > MAX_TEXT_BYTES)
    return failed(nothingRan(failure('unreadable', `${what} is longer than ${MAX_TEXT_BYTES / 1024} KiB`, ifTooLong)));
  if (bytes.includes(0))
    return failed(nothingRan(failure('unreadable', `${what} contains a NUL byte`, 'remove the byte')));
  const text = decodeUtf8(bytes);
  return text === null
    ? failed(nothingRan(failure('unreadable', `${what} is not valid UTF-8`, "write such bytes as $'\\xNN'")))
    : success(text);
}

/**
 * Reads standard input to its end, or until the text is too long. Blocks while there is no input. Fails if standard input cannot be read.
 * Fails for the same texts as `readableText`, too.
 */
export function readStandardInput(ifTooLong?: string): Result<string, Failure> {
  const chunks: Buffer[] = [];
  const chunk = Buffer.alloc(65_536);
  let length = 0;
  for (;;) {
    const count = readSome(0, chunk);
    if (!count.ok) return failed(failure('system', `standard input cannot be read (${count.failure.code})`));
    if (count.value === 0) break;
    chunks.push(Buffer.from(chunk.subarray(0, count.value)));
    length += count.value;
    if (length > MAX_TEXT_BYTES) break;
  }
  return readableText(Buffer.concat(chunks), 'standard input', ifTooLong);
}

/** @property code an error code of the system, or EKERNEL or ENOTREG (`READ_ERRORS`) */
interface ReadFault {
  readonly code: string;
}

/** Like read(2), but also waits for data on a non-blocking descriptor, for example an inherited socket. */
function readSome(descriptor: number, into: Buffer): Result<number, ReadFault> {
  for (;;) {
    try {
      return success(readSync(descriptor, into, 0, into.length, null));
    } catch (error) {
      const code = errorCode(error);
      if (code === 'EOF') return success(0);
      if (code !== 'EAGAIN') return failed({ code });
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
    }
  }
}

export interface Script {
  readonly path: string;
  readonly text: string;
}

/** Texts for error codes of the system, and for two codes that only `readFile` below uses: EKERNEL and ENOTREG. */
const READ_ERRORS: Readonly<Record<string, string>> = {
  EISDIR: 'is a directory',
  EACCES: 'Permission denied',
  EKERNEL:
    'lies under /proc, /sys or /dev, where bash may read other bytes than were shown; copy the file to another place',
  ENOTREG: 'is not a plain file; give its text on standard input instead (ape-shell -s)',
};

/**
 * Finds the script as bash does, and reads the script. Looks for `name` in `cwd`. If `name` has no slash, looks in PATH after that. Fails:
 * - with 127 if no file is found
 * - with 126 if the file cannot be read, or is no plain file
 * - with 126 if PATH has to be searched, and a directory in PATH begins with `~`
 * - for the same texts as `readableText`
 * @param path the value of PATH
 * @returns the text of the script, and its absolute path
 */
export function readScript(name: string, path: string | undefined, cwd: string): Result<Script, ScriptFailure> {
  const folders = name.includes('/') ? [] : (path ?? '').split(':');
  // bash expands `~` in PATH to a home directory, other programs do not. So this PATH has two meanings.
  if (folders.some((folder) => folder.startsWith('~')) && !existsSync(joinedPath(cwd, name)))
    return failed({
      failure: nothingRan(
        failure(
          'system',
          `${name} has to be searched in PATH, but a directory in PATH begins with ~`,
          'give the whole path',
        ),
      ),
      status: 126,
    });
  const inPath = folders.map((folder) => `${folder || '.'}/${name}`);
  const candidates = [name, ...inPath].map((candidate) => joinedPath(cwd, candidate));
  for (const candidate of candidates) {
    const read = readFile(candidate);
    if (read.ok) {
      const text = readableText(read.value, `the script ${name}`, "run it as: ape-shell -c 'bash FILE'");
      return text.ok ? success({ path: candidate, text: text.value }) : failed({ failure: text.failure, status: null });
    }
    const { code } = read.failure;
    if (code !== 'ENOENT' && code !== 'ENOTDIR')
      return failed({
        failure: failure('system', `${name}: ${READ_ERRORS[code] ?? code}`),
        status: 126,
      });
  }
  return failed({ failure: failure('system', `${name}: No such file or directory`), status: 127 });
}

/** @property status the exit status of bash for this fault (126 or 127); null: `failure` decides the exit status */
export interface ScriptFailure {
  readonly failure: Failure;
  readonly status: number | null;
}

/**
 * Reads a regular file. Fails (64) if the file cannot be read. Fails for the same texts as `readableText`, too. A relative path starts at
 * our working directory.
 */
export function readTextFile(name: string): Result<string, Failure> {
  const read = readFile(joinedPath(process.cwd(), name));
  if (read.ok) return readableText(read.value, name);
  const { code } = read.failure;
  const why = code === 'ENOENT' ? 'is not there' : (READ_ERRORS[code] ?? `cannot be read (${code})`);
  return failed(failure('usage', `${name} ${why}`, 'name a plain file, or - for standard input'));
}

function readFile(path: string): Result<Buffer, ReadFault> {
  if (goesThroughKernelFiles(path) && existsSync(path)) return failed({ code: 'EKERNEL' });
  let descriptor: number;
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK); // a FIFO must not block us
  } catch (error) {
    return failed({ code: errorCode(error) });
  }
  try {
    const stat = fstatSync(descriptor);
    if (stat.isDirectory()) return failed({ code: 'EISDIR' });
    // A pipe gives each byte only once. bash would read the pipe after us, and run other bytes than were shown.
    if (!stat.isFile()) return failed({ code: 'ENOTREG' });
    const chunks: Buffer[] = [];
    const chunk = Buffer.alloc(65_536);
    for (let length = 0; length <= MAX_TEXT_BYTES; ) {
      const count = readSync(descriptor, chunk, 0, chunk.length, null);
      if (count === 0) break;
      length += count;
      chunks.push(Buffer.from(chunk.subarray(0, count)));
    }
    return success(Buffer.concat(chunks));
  } catch (error) {
    return failed({ code: errorCode(error) });
  } finally {
    closeSync(descriptor);
  }
}
