/**
 * Finds the path that a file operation really reaches. Follows symbolic links as the kernel does. The end of the path need not exist yet.
 */
import { lstatSync, readdirSync, readlinkSync, type Stats } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import { type Failure, failure } from '../../core/failure.ts';
import { type Fault, fault } from '../../core/fault.ts';
import { failed, type Result, success } from '../../core/result.ts';
import { errorCode } from '../../platform/private-files.ts';

/** The limit of Linux. macOS refuses a path with more than 32 links. */
const MAX_LINKS = 40;
const MAX_CHARACTERS = 4096;

/**
 * @property path    the real path: absolute, without links and `..`
 * @property kind   `new`: nothing exists at the path yet; directories above the path can be missing too
 * @property bytes  the size of a file; 0 for anything else
 * @property links  the number of hard links of a file; 1 for anything else that exists; 0 for `new`
 * @property aliases other names of the path, one for each symbolic link on the way: the path of the link, joined with the parts of the path
 *                   that came after the link
 * @property isLink whether the path itself, and not only a directory on the way, is a link
 */
export interface ResolvedPath {
  readonly path: string;
  readonly kind: 'new' | 'file' | 'directory' | 'other';
  readonly bytes: number;
  readonly links: number;
  readonly aliases: readonly string[];
  readonly isLink: boolean;
}

/**
 * Resolves `asked`, which can be relative to `directory`. Fails with exit status 65 for:
 * - a `directory` that is not absolute
 * - a text that cannot be a path: empty, too long, not valid Unicode, or with NUL
 * - a path below a file
 * - a `..` that leads to one place by the text and to another place by the links
 * - a `..` after a missing directory
 * - a link inside /proc
 * - a loop of links, or more than `MAX_LINKS` links
 * - a link to a name that is not UTF-8
 * - a name that differs only in spelling from another name in its directory (`otherSpelling`)
 *
 * Fails with exit status 71 in two cases:
 * - a directory on the way cannot be searched
 * - a directory on the way cannot be listed, and the name in it is not plain
 */
export function resolvePath(asked: string, directory: string): Result<ResolvedPath, Failure> {
  const wrong = pathFault(asked);
  if (wrong !== null) return failed(refused(asked, wrong.message));
  if (!isAbsolute(directory)) return failed(refused(directory, 'the working directory is not an absolute path'));
  const whole = isAbsolute(asked) ? asked : `${directory}/${asked}`;
  const walked = walk(whole);
  if (!walked.ok || !/(^|\/)\.\.(\/|$)/.test(whole)) return walked;
  // Some tools resolve `..` by the text. Other tools leave `..` to the kernel. The two results must be the same path.
  const plain = walk(resolve(whole));
  if (!plain.ok) return plain;
  return plain.value.path === walked.value.path
    ? walked
    : failed(
        refused(asked, `".." behind a symbolic link leads to two places, ${walked.value.path} and ${plain.value.path}`),
      );
}

function pathFault(asked: string): Fault | null {
  if (asked === '') return fault('the path is empty');
  if (asked.includes('\0')) return fault('the path contains NUL');
  if (/\p{Surrogate}/u.test(asked)) return fault('the path is not valid Unicode');
  return asked.length > MAX_CHARACTERS ? fault('the path is too long') : null;
}

const refused = (asked: string, why: string): Failure =>
  failure(
    'unreadable',
    `refused: ${why} (path ${JSON.stringify(asked).slice(0, 300)})`,
    'write the path out, without links and ..',
  );

function walk(whole: string): Result<ResolvedPath, Failure> {
  const waiting = whole.split('/');
  let at = '';
  let links = 0;
  let last: Stats | null = null;
  let isMissing = false;
  let isLink = false;
  const aliases: string[] = [];
  while (waiting.length > 0) {
    const part = waiting.shift() ?? '';
    if (last !== null && !last.isDirectory()) return failed(refused(whole, `${at} is not a directory`));
    if (part === '' || part === '.') continue;
    if (part === '..') {
      if (isMissing) return failed(refused(whole, '".." behind a directory that does not exist'));
      at = at.slice(0, Math.max(0, at.lastIndexOf('/')));
      last = null;
      continue;
    }
    const here = `${at}/${part}`;
    const looked: Result<Stats | null, Failure> = isMissing ? success(null) : look(here);
    if (!looked.ok) return looked;
    const found: Stats | null = looked.value;
    const directory = at === '' ? '/' : at;
    const other: string | null | undefined =
      isMissing || (found !== null && isPlainName(part)) ? undefined : otherSpelling(directory, part);
    if (other === null)
      return failed(
        failure(
          'system',
          `refused: ${directory} cannot be listed, so other spellings of ${here} are not known`,
          'check the permissions',
        ),
      );
    if (other !== undefined)
      return failed(
        refused(
          whole,
          `the directory ${directory} contains ${JSON.stringify(other)}, which differs only in spelling: some tools would use it instead`,
        ),
      );
    isMissing ||= found === null;
    if (found?.isSymbolicLink() === true) {
      links += 1;
      const target = links > MAX_LINKS ? null : readTarget(here);
      if (target === null) return failed(refused(whole, `the symbolic links at ${here} cannot be followed`));
      if (at === '/proc' || at.startsWith('/proc/'))
        return failed(refused(whole, `${here} is a different place for each process`));
      isLink ||= waiting.every((rest) => rest === '' || rest === '.');
      aliases.push([here, ...waiting].join('/'));
      waiting.unshift(...target.split('/'));
      if (target.startsWith('/')) at = '';
      last = null;
      continue;
    }
    at = here;
    last = found;
  }
  return describe(at === '' ? '/' : at, isMissing, { aliases, isLink });
}

/**
 * Whether the name has only printable ASCII characters, and neither a blank nor an apostrophe. If a file with such a name exists,
 * tools use that file. The check for other spellings is not necessary for this file.
 */
const isPlainName = (name: string): boolean => /^[\x21-\x26\x28-\x7e]*$/.test(name);

/**
 * Returns another name in the directory that differs from the given name only in spelling: in blanks, in apostrophes, or in the Unicode
 * form of accents. Some tools would use the other name. Such a tool changes the given name to the composed form (NFC), or looks for other
 * blanks or apostrophes if no file has the given name. If the directory cannot be listed, returns undefined for a plain name, and null for
 * a name that is not plain. Undefined is safe: to find another spelling of a plain name, a tool would have to list the directory too.
 */
function otherSpelling(directory: string, name: string): string | null | undefined {
  const spelled = spelling(name);
  try {
    return readdirSync(directory).find((each) => each !== name && spelling(each) === spelled);
  } catch {
    return isPlainName(name) ? undefined : null;
  }
}

const spelling = (name: string): string =>
  name
    .normalize('NFC')
    .replace(/\p{Zs}/gu, ' ')
    .replace(/[\u2018\u2019]/g, "'");

/** Returns null if nothing exists at the path. */
function look(path: string): Result<Stats | null, Failure> {
  try {
    return success(lstatSync(path));
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return success(null);
    if (errorCode(error) === 'ENOTDIR' || errorCode(error) === 'ENAMETOOLONG')
      return failed(refused(path, `it cannot exist (${errorCode(error)})`));
    return failed(
      failure('system', `refused: ${path} cannot be looked at (${errorCode(error)})`, 'check the permissions'),
    );
  }
}

function readTarget(path: string): string | null {
  try {
    const bytes = readlinkSync(path, 'buffer');
    const text = bytes.toString('utf8');
    return Buffer.from(text).equals(bytes) && text !== '' ? text : null;
  } catch {
    return null;
  }
}

function describe(
  path: string,
  isMissing: boolean,
  way: Pick<ResolvedPath, 'aliases' | 'isLink'>,
): Result<ResolvedPath, Failure> {
  const looked: Result<Stats | null, Failure> = isMissing ? success(null) : look(path);
  if (!looked.ok) return looked;
  const stat = looked.value;
  if (stat === null) return success({ path, kind: 'new', bytes: 0, links: 0, ...way });
  const kind = stat.isFile() ? 'file' : stat.isDirectory() ? 'directory' : 'other';
  return success({
    path,
    kind,
    bytes: kind === 'file' ? stat.size : 0,
    links: kind === 'file' ? stat.nlink : 1,
    ...way,
  });
}
