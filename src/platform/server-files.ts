/** Finds the files of the command that starts an MCP server or an agent: the program, and the files that the arguments name. */
import { createHash } from 'node:crypto';
import { accessSync, closeSync, constants, openSync, readSync, realpathSync, statSync } from 'node:fs';
import { type Failure, failure } from '../core/failure.ts';
import { failed, type Result, success } from '../core/result.ts';
import { MAX_SERVER_FILES, type McpCall } from '../core/tools/mcp-call.ts';
import { joinedPath } from './path-walk.ts';
import { errorCode } from './private-files.ts';
import { entryOf, filesMeantBy, manifestsOf, pathsIn, startsOf } from './words-as-files.ts';

/** @property program absolute; links are not resolved, because some programs do different things under different names */
export interface ServerCommand {
  readonly program: string;
  readonly files: McpCall['files'];
}

const CHUNK = 1 << 20;

const CODE = /\.(?:[cm]?[jt]sx?|py[cz]?|rb|pl|php|sh|lua|jar|wasm|so|node)$/;
/** Files in which a server keeps data. The content of such a file changes with use. So an approval is not bound to the content. */
const DATA = /\.(?:db3?|sqlite3?|duckdb|log|jsonl|ndjson|csv|tsv|parquet|pid|sock|lock)(?:-wal|-shm|-journal)?$/i;

/**
 * Finds the files of a command. `files` has the program, then the files that the arguments and `loads` name, then manifests
 * (`words-as-files.ts`). Each entry has the real path and the SHA-256 of the content. If an argument of the server or agent names a data
 * file (`DATA`) that is not executable, the file is left out. Fails (71) if the program is not found. Fails (71) also if one of the files
 * cannot be read: an approval is bound to the digest of each file. Fails (65) if there are too many files.
 * @param argv  the name of the program, then its arguments
 * @param path  the value of PATH
 * @param cwd   the directory for relative paths. Relative paths are also tried in each directory that `startsOf` returns
 * @param loads the values of variables such as NODE_OPTIONS, which name code to load first
 */
export function filesOfCommand(
  argv: readonly string[],
  path: string,
  cwd: string,
  loads: readonly string[] = [],
): Result<ServerCommand, Failure> {
  const [name = '', ...words] = argv;
  const program = findProgram(name, path, cwd);
  if (program === null)
    return failed(failure('system', `the program of the server is not found: ${name}`, 'check its name and PATH'));
  const entry = entryOf(argv);
  const starts = startsOf(words.slice(0, entry), cwd);
  const named = starts.flatMap((start) => words.flatMap((word, at) => filesOfWord(word, at < entry, start)));
  const loaded = starts.flatMap((start) => loads.flatMap((value) => filesOfWord(value, true, start)));
  const manifests = starts.flatMap((start) => manifestsOf(argv, start));
  const code = [program, ...named, ...loaded, ...manifests].flatMap((each) => realFile(each) ?? []);
  const paths = [...new Set(code)];
  if (paths.length > MAX_SERVER_FILES)
    return failed(
      failure(
        'unreadable',
        `the server's command names more than ${MAX_SERVER_FILES} files`,
        'put the command into a script, and name the script instead',
      ),
    );
  const files: { readonly path: string; readonly digest: string }[] = [];
  for (const file of paths) {
    const digest = digestOf(file);
    if (digest === null)
      return failed(failure('system', `a file of the server cannot be read: ${file}`, 'check the permissions'));
    files.push({ path: file, digest });
  }
  return success({ program, files });
}

/** @param mayBeCode whether the word can name code that the command runs; if not, the word is an argument of the server or agent */
function filesOfWord(word: string, mayBeCode: boolean, cwd: string): readonly string[] {
  return pathsIn(word).flatMap((text) => {
    const path = joinedPath(cwd, text);
    if (mayBeCode) return [path, ...filesMeantBy(text, cwd)];
    const isBound = isCode(path) || (!DATA.test(path) && isReachable(path));
    return isBound ? [path] : [];
  });
}

/** Whether this is a regular file that the user can stat. An argument that the user cannot stat is of no use to the server either. */
function isReachable(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

const isCode = (path: string): boolean => CODE.test(path) || isExecutable(path);

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** Searches as execvp(3) does: a name with a slash is a path. Returns null if there is no executable file. */
function findProgram(name: string, path: string, cwd: string): string | null {
  if (name === '') return null;
  const places = name.includes('/')
    ? [joinedPath(cwd, name)]
    : path.split(':').map((each) => joinedPath(joinedPath(cwd, each), name));
  return places.find(isExecutable) ?? null;
}

/**
 * Returns the real path of a regular file; null for anything else, such as a directory, an option or a URL. Returns the path itself if
 * access is denied (EACCES). `filesOfCommand` then fails, because it cannot read the file.
 */
function realFile(path: string): string | null {
  try {
    const real = realpathSync.native(path);
    return statSync(real).isFile() ? real : null;
  } catch (error) {
    return errorCode(error) === 'EACCES' ? path : null;
  }
}

function digestOf(path: string): string | null {
  const hash = createHash('sha256');
  try {
    const descriptor = openSync(path, 'r');
    try {
      const buffer = Buffer.alloc(CHUNK);
      for (let read = readSync(descriptor, buffer); read > 0; read = readSync(descriptor, buffer))
        hash.update(buffer.subarray(0, read));
    } finally {
      closeSync(descriptor);
    }
    return hash.digest('hex');
  } catch {
    return null;
  }
}
