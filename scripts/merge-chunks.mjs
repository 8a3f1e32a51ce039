/**
 * Puts the chunks that the same entry points always load into one file. esbuild makes a chunk for each set of modules that are shared: more
 * than a hundred small files, which Node needs longer to load than to run.
 */
import { basename, dirname, join } from 'node:path';
import { build } from 'esbuild';

/** The static imports of a chunk from other chunks, as esbuild prints them. */
const IMPORT = /^import (?:\{([^}]*)\} from )?"\.\/([^"]+)";$/gm;
/** The exports of a chunk, as esbuild prints them: one list at the end of the file. */
const EXPORT = /^export \{([^}]*)\};$/m;

/** @typedef {{ readonly path: string, readonly text: string }} Chunk */

/**
 * Merges the chunks that exactly the same `entries` load by static imports.
 * @param {readonly Chunk[]} chunks   all files of a build in the format `esm` with `splitting`, not minified, all in one directory
 * @param {readonly string[]} entries names of files in this directory
 * @param {(path: string) => boolean} isEntry whether the file stays a single file, because it is an entry point or is loaded by `import()`
 * @returns {Promise<{ path: string, contents: string }[]>} the files in place of `chunks`
 */
export async function mergeChunks(chunks, entries, isEntry) {
  const texts = new Map(chunks.map(({ path, text }) => [basename(path), text]));
  const single = new Set(chunks.flatMap(({ path }) => (isEntry(path) ? basename(path) : [])));
  const groups = groupsOf(texts, entries, single);
  const directory = dirname(chunks[0]?.path ?? '.');
  const files = chunks.flatMap(({ path, text }) =>
    groups.has(basename(path)) ? [] : { path, contents: withImports(text, groups) },
  );
  for (const group of new Set(groups.values()))
    files.push({ path: join(directory, group), contents: await merged(group, groups, texts) });
  checkImports(files);
  return files;
}

/**
 * Returns the file into which each chunk is merged. Chunks that no entry point loads are left out. The files of `single` are left out too: if
 * a file waits at its top level for an `import()`, what it imports must not need the same file.
 * @param {ReadonlyMap<string, string>} texts
 * @param {readonly string[]} entries
 * @param {ReadonlySet<string>} single
 */
function groupsOf(texts, entries, single) {
  /** @type {Map<string, string>} */
  const groups = new Map();
  for (const entry of entries) {
    const found = new Set([entry]);
    // A set can grow while it is walked.
    for (const name of found) for (const [, , next = ''] of (texts.get(name) ?? '').matchAll(IMPORT)) found.add(next);
    for (const name of found) {
      if (single.has(name)) continue;
      const others = groups.get(name)?.replace(/\.[cm]js$/, '') ?? 'of';
      groups.set(name, `${others}-${entry}`);
    }
  }
  return groups;
}

/**
 * Bundles the chunks of one group. The result exports under unique names what the chunks export.
 * @type {(group: string, groups: ReadonlyMap<string, string>, texts: ReadonlyMap<string, string>) => Promise<string>}
 */
async function merged(group, groups, texts) {
  const exports = [...groups].flatMap(([name, its]) => {
    if (its !== group) return [];
    const list = exportsOf(texts.get(name) ?? '').map((each) => `${each} as ${uniqueName(name, each)}`);
    return list.length === 0 ? `import "./${name}";` : `export { ${list.join(', ')} } from "./${name}";`;
  });
  const { outputFiles } = await build({
    stdin: { contents: exports.join('\n'), loader: 'js' },
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    write: false,
    legalComments: 'none',
    logLevel: 'warning',
    minifySyntax: true,
    minifyWhitespace: true,
    plugins: [fromMemory(group, groups, texts)],
  });
  return outputFiles[0]?.text ?? '';
}

/**
 * Lets esbuild read the chunks of one group from memory. All other imports stay imports.
 * @type {(group: string, groups: ReadonlyMap<string, string>, texts: ReadonlyMap<string, string>) => import('esbuild').Plugin}
 */
const fromMemory = (group, groups, texts) => ({
  name: 'from-memory',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /./ }, ({ path, kind }) =>
      kind !== 'dynamic-import' && groups.get(path.slice(2)) === group
        ? { path: path.slice(2), namespace: 'chunk' }
        : { path, external: true },
    );
    onLoad({ filter: /./, namespace: 'chunk' }, ({ path }) => ({
      contents: withImports(texts.get(path) ?? '', groups, group),
      loader: 'js',
    }));
  },
});

/** @param {string} list  of imports or exports: `a, b as c` */
const pairsIn = (list) =>
  list.split(',').flatMap((each) => {
    const [first, second] = each.trim().split(' as ');
    return first ? { first, second: second ?? first } : [];
  });

/** @param {string} text  of a chunk */
const exportsOf = (text) => pairsIn(EXPORT.exec(text)?.[1] ?? '').map(({ second }) => second);

/** Under this name, a merged file exports what `chunk` exported as `name`. @type {(chunk: string, name: string) => string} */
const uniqueName = (chunk, name) => `${name}__${chunk.replace(/\W/g, '_')}`;

/**
 * Replaces imports from chunks by imports from the files into which the chunks are merged. Imports from the group `own` stay.
 * @type {(text: string, groups: ReadonlyMap<string, string>, own?: string) => string}
 */
const withImports = (text, groups, own) =>
  text.replaceAll(IMPORT, (whole, list, chunk) => {
    const group = groups.get(chunk);
    if (group === undefined || group === own) return whole;
    if (list === undefined) return `import "./${group}";`;
    const names = pairsIn(list).map(({ first, second }) => `${uniqueName(chunk, first)} as ${second}`);
    return `import { ${names.join(', ')} } from "./${group}";`;
  });

/**
 * Throws if a file imports a file that is missing.
 * @param {readonly { path: string, contents: string }[]} files
 */
function checkImports(files) {
  const names = new Set(files.map(({ path }) => basename(path)));
  for (const { path, contents } of files)
    for (const [, name = ''] of contents.matchAll(/(?:from|import) ?\(?"\.\/([^"]+)"/g))
      if (!names.has(name)) throw new Error(`${path} imports ${name}, which is missing`);
}
