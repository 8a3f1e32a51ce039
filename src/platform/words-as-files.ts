/**
 * Finds the files that a word can mean to node, python, deno, bun, uv and npx: `./server` can mean `server.js` or `server/index.js`.
 * Finds all such files that exist, not only the file that the program takes. So the result changes if a new file appears that the program
 * would take first.
 */
import { lstatSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { joinedPath } from './path-walk.ts';
import { errorCode } from './private-files.ts';

const INTERPRETERS = /^(?:node|nodejs|tsx|ts-node|ruby|perl|php|lua[\d.]*|npx|bunx|uvx|pnpx)$/;
const PYTHON = /^python[\d.]*$/;
const SHELLS = /^(?:sh|bash|dash|zsh|ksh|fish)$/;
/** With these runners, a sub-command comes before the program, or an option names the program. */
const OTHER_RUNNERS = /^(?:deno|bun|uv|npm|pnpm|yarn|pipx|poetry|hatch|pdm|rye|corepack|java|env|mise|asdf)$/;
const RUNNERS = [INTERPRETERS, PYTHON, SHELLS, OTHER_RUNNERS];
const isRunner = (word: string): boolean => RUNNERS.some((names) => names.test(basename(word)));
const SUB_COMMANDS: ReadonlySet<string> = new Set(['run', 'x', 'exec', 'dlx']);

/** Options without a value. The word behind any other option can be its value. */
const WITHOUT_VALUE =
  /^(?:-y|--yes|--enable-source-maps|--no-warnings|--no-deprecation|--trace-warnings|--experimental-strip-types|--.+=.*)$/s;
const WITHOUT_VALUE_IN_PYTHON = /^-[uBEIsSObq]+$/;

/**
 * Returns the index in `argv` of the word that names the program or script. The words after this word are arguments of the program or
 * script. Returns the length of `argv` if the index is not certain: then every word can name code.
 */
export function entryOf(argv: readonly string[]): number {
  const at = argv.findIndex(isRunner);
  if (at < 0) return 0;
  const words = argv.slice(at + 1);
  const found = entryAfter(basename(argv[at] ?? ''), words);
  const next = found < 0 ? words.findIndex(isRunner) : found;
  if (next < 0) return argv.length;
  const entry = at + 1 + next;
  return isRunner(argv[entry] ?? '') ? entry + entryOf(argv.slice(entry)) : entry;
}

/**
 * Like `entryOf`, for the words after a runner. Returns -1 if the index is not certain.
 * @param name the name of the runner
 */
function entryAfter(name: string, words: readonly string[]): number {
  if (SHELLS.test(name)) return words[0]?.startsWith('-') === false ? 0 : -1;
  const from = OTHER_RUNNERS.test(name) ? words.findIndex((word) => SUB_COMMANDS.has(word)) + 1 : 0;
  if (from === 0 && OTHER_RUNNERS.test(name)) return -1;
  const isPython = PYTHON.test(name);
  const mayTakeNext = (option: string): boolean =>
    option.startsWith('-') && !WITHOUT_VALUE.test(option) && !(isPython && WITHOUT_VALUE_IN_PYTHON.test(option));
  const found = words.findIndex(
    (word, at) => at >= from && !word.startsWith('-') && (at === from || !mayTakeNext(words[at - 1] ?? '')),
  );
  const module = isPython ? words.indexOf('-m') : -1;
  return module >= 0 && (found < 0 || module < found) ? module + 1 : found;
}

/**
 * Returns the paths that a word can contain: the word itself; the text after `=`, after a short option, and after `@`; the path of a
 * `file:` URL; the parts of a list or of shell code.
 */
export function pathsIn(word: string): readonly string[] {
  const found = new Set<string>();
  const add = (text: string): void => {
    if (text === '' || found.has(text)) return;
    found.add(text);
    const behind = text.indexOf('=') + 1;
    if (behind > 0) add(text.slice(behind));
    if (/^-[^-]./.test(text)) add(text.slice(2));
    if (text.startsWith('@')) add(text.slice(1));
    if (/^file:/i.test(text)) add(pathOfUrl(text));
    for (const part of text.split(/[\s'"`;&|()<>,]+/)) add(part);
    if (!text.includes('://')) for (const part of text.split(':')) add(part);
  };
  add(word);
  return [...found];
}

function pathOfUrl(text: string): string {
  try {
    return fileURLToPath(text);
  } catch {
    return '';
  }
}

const ENDINGS = [
  ...['js', 'mjs', 'cjs', 'json', 'node', 'ts', 'mts', 'cts', 'tsx', 'jsx', 'wasm', 'py', 'pyc', 'pyz'],
  ...['rb', 'pl', 'pm', 'php', 'lua', 'sh', 'jar', 'exe'],
];
const INSIDE = ['package.json', '__main__.py', '__main__.pyc', '__init__.py', ...ENDINGS.map((end) => `index.${end}`)];
const BIN_FOLDERS = ['node_modules/.bin', '.venv/bin', 'venv/bin'];
/** Files that say what a runner starts, or what it loads first. */
const MANIFESTS: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^(?:npm|pnpm|yarn|bun|deno|corepack)$/, ['package.json', '.npmrc']],
  [/^(?:bun|bunx|tsx|ts-node)$/, ['tsconfig.json', 'bunfig.toml', '.env', '.env.local']],
  [/^(?:yarn|corepack)$/, ['.yarnrc.yml', '.pnp.cjs']],
  [/^pnpm$/, ['.pnpmfile.cjs', '.pnpmfile.mjs', 'pnpm-workspace.yaml']],
  [/^deno$/, ['deno.json', 'deno.jsonc']],
  [/^(?:uv|uvx|poetry|hatch|pdm|rye)$/, ['pyproject.toml', 'uv.toml']],
  [/^(?:mise|asdf)$/, ['mise.toml', '.mise.toml', '.tool-versions']],
];

/** Returns `cwd`, and the directories that the words name: `uv --directory DIR run server.py` runs `DIR/server.py`. */
export const startsOf = (words: readonly string[], cwd: string): readonly string[] => [
  ...new Set([
    cwd,
    ...words
      .flatMap(pathsIn)
      .map((text) => joinedPath(cwd, text))
      .filter(isDirectory),
  ]),
];

/** Returns the existing files that `text` can mean if `text` names a program or code. Leaves out the file whose path is `text` itself. */
export function filesMeantBy(text: string, cwd: string): readonly string[] {
  const path = joinedPath(cwd, text);
  const found = resolved(path);
  // A name that begins with neither `.` nor `/` can also mean a module of Python or a file of a package.
  if (/^[./]/.test(text) || text.startsWith('-')) return found;
  const parts = text.split('.');
  const module = /^[\w.]+$/.test(text) && parts.length > 1 ? joinedPath(cwd, parts.join('/')) : null;
  const parents = parts.slice(1).map((_, at) => `${joinedPath(cwd, parts.slice(0, at + 1).join('/'))}/__init__.py`);
  const packages = directoriesAbove(cwd).flatMap((directory) => [
    ...resolved(join(directory, 'node_modules', text)),
    ...exportedAs(text, join(directory, 'node_modules')),
    ...BIN_FOLDERS.map((folder) => join(directory, folder, text)).filter(isThere),
  ]);
  return [...found, ...(module === null ? [] : [...resolved(module), ...parents.filter(isThere)]), ...packages];
}

/** Returns the files that decide what the runners in the command start. Looks in `cwd` and in all directories above `cwd`. */
export const manifestsOf = (words: readonly string[], cwd: string): readonly string[] => {
  const names = MANIFESTS.filter(
    ([runner, files]) =>
      words.some((word) => runner.test(basename(word))) ||
      (files.includes('package.json') && words.some((word) => /^--run(?:=|$)/.test(word))),
  ).flatMap(([, files]) => files);
  return directoriesAbove(cwd).flatMap((directory) => names.map((name) => join(directory, name)).filter(isThere));
};

function resolved(path: string): readonly string[] {
  const withEnding = ENDINGS.map((end) => `${path}.${end}`);
  if (!isDirectory(path)) return withEnding.filter(isThere);
  const inside = [...INSIDE.map((name) => `${path}/${name}`), ...mainsOf(path)];
  return [...withEnding, ...inside].filter(isThere);
}

/** Returns the entry points in the directory's `package.json`, with and without added endings. Some of these paths may not exist. */
function mainsOf(directory: string): readonly string[] {
  const { main, module, bin, exports: entries } = manifestAt(`${directory}/package.json`);
  const texts = [main, module, bin, ...mainExports(entries)].flatMap(textsOf);
  const paths = texts.map((text) => joinedPath(directory, text));
  return paths.flatMap((path) => [path, ...ENDINGS.flatMap((end) => [`${path}.${end}`, `${path}/index.${end}`])]);
}

/** Returns what `exports` names for the package itself: the value of the key `.`, or the values of conditions (`import`, `require`). */
const mainExports = (entries: unknown): readonly unknown[] =>
  typeof entries !== 'object' || entries === null || Array.isArray(entries)
    ? [entries]
    : Object.entries(entries).flatMap(([key, value]) => (key === '.' || !key.startsWith('.') ? [value] : []));

/** Returns the files that `exports` in the package's `package.json` gives for `PACKAGE/PART`, and this `package.json` itself. */
function exportedAs(text: string, modules: string): readonly string[] {
  const [, name, part] = /^((?:@[^/]+\/)?[^/]+)\/(.+)$/.exec(text) ?? [];
  if (name === undefined || part === undefined) return [];
  const directory = join(modules, name);
  const manifest = `${directory}/package.json`;
  const found = Object.entries(Object(manifestAt(manifest)['exports'])).flatMap(([key, value]) => {
    const inserted = textForStar(key, `./${part}`);
    return inserted === null ? [] : textsOf(value).map((path) => joinedPath(directory, path.replaceAll('*', inserted)));
  });
  return found.length === 0 ? [] : [manifest, ...found].filter(isThere);
}

/** Returns the part of `text` in place of the `*` in `key`; an empty text if `key` is `text`; null if `key` does not match. */
function textForStar(key: string, text: string): string | null {
  const star = key.indexOf('*');
  if (star < 0) return key === text ? '' : null;
  const [head, tail] = [key.slice(0, star), key.slice(star + 1)];
  const isMatch = text.length >= head.length + tail.length && text.startsWith(head) && text.endsWith(tail);
  return isMatch ? text.slice(head.length, text.length - tail.length) : null;
}

function manifestAt(path: string): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    return {};
  }
}

const textsOf = (value: unknown): readonly string[] =>
  typeof value === 'string' ? [value] : Object.values(Object(value)).flatMap(textsOf);

function directoriesAbove(directory: string): readonly string[] {
  const above = dirname(directory);
  return [directory, ...(above === directory ? [] : directoriesAbove(above))];
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/** Whether the path exists. If the user has no right to look at the path, returns true: the path may exist. */
function isThere(path: string): boolean {
  try {
    lstatSync(path);
    return true;
  } catch (error) {
    return errorCode(error) === 'EACCES';
  }
}
