/**
 * Loads the files of the build. Such a file is CommonJS, because the loader of ES modules takes 10 ms. The build stores V8's compiled code
 * beside the file, because compiling takes longer than reading compiled code: 6 ms longer for a one-shot call, 100 ms longer for the
 * server. V8 rejects compiled code of another V8 version, and then compiles the file itself.
 */
import { readFileSync } from 'node:fs';
import Module, { createRequire, isBuiltin } from 'node:module';
import { join } from 'node:path';
import { Script } from 'node:vm';

/** Each kind of call has its own file, so that a call loads no code of the other kinds. */
type Entry = 'one-shot' | 'interactive' | 'command-line' | 'session-host' | 'login-trial';

interface Loaded {
  readonly exports: unknown;
}

/** The key is the path of the file. */
const loaded = new Map<string, Loaded>();

/**
 * Loads a file once. If the file requires other files of its directory, these files are loaded in the same way. Throws if the file is
 * missing. If the code of the file throws an error, throws this error.
 * @param directory `main` or `lazy` of the build
 */
export function loadBuilt<Exports>(directory: string, name: Entry): Exports {
  return loadedFrom(directory, name) as Exports;
}

function loadedFrom(directory: string, name: string): unknown {
  const file = join(directory, `${name}.cjs`);
  const before = loaded.get(file);
  if (before !== undefined) return before.exports;
  const module = { exports: {} };
  loaded.set(file, module); // before the file runs: two files may require each other
  try {
    run(module, directory, file);
  } catch (error) {
    loaded.delete(file);
    throw error;
  }
  return module.exports;
}

function run(module: Loaded, directory: string, file: string): void {
  const script = new Script(Module.wrap(readFileSync(file, 'utf8')), {
    filename: file,
    cachedData: compiledBefore(`${file}.cache`),
  });
  const requireOther = createRequire(file);
  const require = (wanted: string): unknown => {
    const beside = BESIDE.exec(wanted)?.[1];
    if (beside !== undefined) return loadedFrom(directory, beside);
    if (isBuiltin(wanted) || NATIVE.includes(wanted)) return requireOther(wanted);
    throw Object.assign(new Error(`${wanted} is no part of this build`), { code: 'MODULE_NOT_FOUND' });
  };
  script.runInThisContext().call(module.exports, module.exports, require, module, file, directory);
}

/**
 * The packages that are not in the build. Some packages of the build try to load further ones (`supports-color`, `pg-native`). Node would
 * look for these in `node_modules` of every parent directory, where another user may be able to write.
 */
const NATIVE: readonly string[] = ['better-sqlite3', 'node-pty'];

const BESIDE = /^\.\/([\w.@-]+)\.cjs$/;

function compiledBefore(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined; // V8 then compiles the file, and the call only takes longer
  }
}
