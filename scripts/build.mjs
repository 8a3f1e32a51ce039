/**
 * Builds `dist/`: the native programs (C); the JavaScript that every start loads; and the JavaScript that is loaded lazily. All of it is
 * CommonJS, because V8's compiled form can be kept beside it.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { buildNative } from './build-native.mjs';
import { asCommonJs } from './common-js.mjs';
import { compileAll } from './compile-cache.mjs';
import { compileMcpRules, compileRules } from './compile-rules.mjs';
import { licencesOf } from './licences.mjs';
import { mergeChunks } from './merge-chunks.mjs';
import { ownVariablesHeader } from './own-variables.mjs';
import { place } from './place-file.mjs';
import { setupText } from './setup-text.mjs';
import { withoutRemarks } from './without-remarks.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
process.chdir(root);
const version = JSON.parse(readFileSync('package.json', 'utf8')).version;
/** Differs for each build, because the launcher must not ask a resident gate of another build. */
const buildId = `${version}-${Date.now().toString(36)}`;

/**
 * `--sanitized`: makes a second build for the tests. Its C programs end with a report at the first wrong access, overflow or
 * undefined operation. This build is below node_modules/, so that it finds its packages.
 */
const isSanitized = process.argv.includes('--sanitized');
const out = isSanitized ? 'node_modules/.cache/ape-shell/sanitized/dist' : 'dist';

/** Writes own-variables.h beside the C files, so that each C file can also be compiled by itself. */
async function placeHeader() {
  const text = await ownVariablesHeader();
  const file = 'bin/own-variables.h';
  if (!existsSync(file) || readFileSync(file, 'utf8') !== text) place(file, text);
}

/**
 * Makes the folder contain exactly these files. Every program in the folder can start at any time meanwhile.
 * @param {string} directory
 * @param {readonly { path: string, contents: string | Uint8Array }[]} outputFiles
 */
function placeAll(directory, outputFiles) {
  mkdirSync(directory, { recursive: true });
  for (const { path: file, contents } of outputFiles) place(file, contents);
  const wanted = new Set(outputFiles.map(({ path: file }) => basename(file)));
  for (const name of readdirSync(directory))
    if (!wanted.has(name) && !name.includes('.new-')) rmSync(join(directory, name), { recursive: true, force: true });
}

/**
 * Puts packages, or modules of ours, into a file of their own beside the bundle, because they are large and not needed at every start.
 * @param {RegExp} modules as the dynamic imports name them
 * @param {string} file
 * @returns {import('esbuild').Plugin}
 */
const beside = (modules, file) => ({
  name: `beside-${file}`,
  setup: ({ onResolve }) =>
    onResolve({ filter: modules }, ({ kind }) =>
      kind === 'dynamic-import' ? { path: `./${file}.cjs`, external: true } : undefined,
    ),
});

/** @param {import('esbuild').Metafile} pages  lists the sources of the pages' scripts, for the licences */
async function buildScript(pages) {
  const { build } = await import('esbuild');
  /** @satisfies {import('esbuild').BuildOptions} */
  const shared = /** @type {const} */ ({
    bundle: true,
    platform: 'node',
    target: 'node20.19',
    logLevel: 'warning',
    write: false,
    metafile: true,
    legalComments: 'none',
    define: { APE_VERSION: JSON.stringify(version), APE_BUILD: JSON.stringify(buildId) },
  });
  const commonJs = {
    ...shared,
    format: /** @type {const} */ ('cjs'),
    outdir: `${out}/main`,
    outExtension: { '.js': '.cjs' },
    minifySyntax: true,
    minifyWhitespace: true, // a third less to parse at every start; names stay, so that stack traces can be read
    external: ['../lazy/*', 'node-pty'],
  };
  const quick = await build({
    ...commonJs,
    entryPoints: ['ape-shell', 'one-shot', 'interactive', 'after-prompt', 'looking-up'].map(
      (name) => `src/main/${name}.ts`,
    ),
    // `import()` becomes `require()`: the first `import()` of a process starts the loader of ES modules, which takes 10 ms.
    supported: { 'dynamic-import': false },
    plugins: [
      beside(/^unbash$/, 'unbash'),
      beside(/^@xterm\/headless$/, 'xterm-headless'),
      beside(/\/looking-up\.ts$/, 'looking-up'),
      beside(/\/(?:session-gate|shell-session|typed-line)\.ts$/, 'after-prompt'),
    ],
  });
  const apart = await build({ ...commonJs, entryPoints: { unbash: 'unbash', 'xterm-headless': '@xterm/headless' } });
  const control = await build({ ...commonJs, entryPoints: ['src/main/apes.ts', 'src/main/program.ts'] });
  const lazy = await build({
    ...shared,
    entryPoints: ['command-line', 'login-trial', 'session-host', 'reference'].map((name) => `src/main/${name}.ts`),
    format: 'esm',
    splitting: true,
    // Packages with native parts are not bundled. All others are bundled: a server would need longer to load hundreds of small files than
    // for the rest of its start, and a bundle has exactly the versions that were tested.
    external: ['better-sqlite3', 'node-pty', 'pg-native'],
    outdir: `${out}/lazy`,
    outExtension: { '.js': '.cjs' },
  });
  const { outputs } = lazy.metafile;
  const isEntry = (/** @type {string} */ file) => outputs[relative(root, file)]?.entryPoint !== undefined;
  const entries = ['command-line.cjs', 'session-host.cjs', 'login-trial.cjs'];
  const merged = await mergeChunks(lazy.outputFiles, entries, isEntry);
  const lazyFiles = await Promise.all(merged.map(asCommonJs));
  placeAll(
    `${out}/lazy`,
    lazyFiles.map(({ path: file, text }) => ({ path: file, contents: text })),
  );
  const client = await build({
    ...shared,
    entryPoints: ['src/main/client.ts'],
    format: 'esm',
    outdir: `${out}/client`,
    outExtension: { '.js': '.mjs' },
  });
  mkdirSync(`${out}/client`, { recursive: true });
  for (const { path: file, contents } of client.outputFiles) place(file, contents);
  const files = [quick, apart, control].flatMap(({ outputFiles }) => outputFiles);
  placeAll(`${out}/main`, files);
  compileAll(resolve(out));
  const licences = licencesOf([pages, ...[quick, apart, control, lazy].map(({ metafile }) => metafile)]);
  place(`${out}/THIRD-PARTY-LICENCES`, licences);
}

/** Writes the types of `ape-shell/client`, and all types that they use. */
function buildClientTypes() {
  execFileSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.client.json'], {
    stdio: 'inherit',
  });
}

/** Compiles the rule files. Throws if an example of a rule file does not hold. */
async function buildRules() {
  const { text, failures } = await compileRules();
  if (failures.length > 0) throw new Error(failures.join('\n'));
  place(`${out}/rules.json`, Buffer.from(text));
  place(`${out}/mcp-rules.json`, Buffer.from(await compileMcpRules()));
}

/** Makes the man pages and completions with the code that was just built. */
async function buildReference() {
  const { referenceFiles } = await import(pathToFileURL(`${root}${out}/lazy/reference.cjs`).href);
  const files = referenceFiles(startedAt.toISOString().slice(0, 10));
  rmSync(`${out}/share`, { recursive: true, force: true });
  for (const [path, text] of files) {
    mkdirSync(dirname(`${out}/share/${path}`), { recursive: true });
    writeFileSync(`${out}/share/${path}`, text);
  }
}

/** Places the texts that the gated bash reads, without their remarks. */
function placeTextsForBash() {
  mkdirSync(`${out}/pty`, { recursive: true });
  const texts = { setup: setupText('.'), completion: readFileSync('src/pty/completion.bash', 'utf8') };
  for (const [name, text] of Object.entries(texts)) place(`${out}/pty/${name}.bash`, Buffer.from(withoutRemarks(text)));
}

/** Copies the files of the pages, and bundles each script with what it imports, minified because a phone fetches it. */
async function placeWebAssets() {
  // These files are parts of the bundles, so the server does not serve them separately.
  const filter = (/** @type {string} */ name) => !/(?:break-glass|own-answer)\.js$/.test(name);
  cpSync('src/web/assets', `${out}/web/assets`, { recursive: true, filter });
  const { build } = await import('esbuild');
  const { outputFiles, metafile } = await build({
    entryPoints: ['pages', 'passkeys', 'notifications'].map((name) => `src/web/assets/${name}.js`),
    outdir: `${out}/web/assets`,
    bundle: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    charset: 'utf8',
    minify: true,
    legalComments: 'none',
    logLevel: 'warning',
    write: false,
    metafile: true,
  });
  for (const { path: file, contents } of outputFiles) place(file, contents);
  return metafile;
}

/** The file with the code of `frames.ts` that is put into a plugin, which runs inside a harness and has to be a single file. */
const PLUGIN_FRAMES = 'frames.js';

/** Copies the files that harnesses load or start from their folders, makes `PLUGIN_FRAMES`, and removes the files of an earlier build. */
async function placeFilesOfHarnesses() {
  /** @type {(name: string) => boolean} */
  const isFile = (name) => /\.js$|-gateway\.mjs$/.test(name);
  /** @type {(folder: string) => string[]} */
  const inFolder = (folder) =>
    existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(isFile) : [];
  const files = inFolder('src/harness');
  for (const name of files) {
    mkdirSync(dirname(`${out}/harness/${name}`), { recursive: true });
    place(`${out}/harness/${name}`, readFileSync(`src/harness/${name}`));
  }
  const { build } = await import('esbuild');
  const { outputFiles } = await build({
    entryPoints: ['src/harness/frames.ts'],
    outfile: `${out}/harness/${PLUGIN_FRAMES}`,
    bundle: true,
    format: 'esm',
    target: 'es2022',
    logLevel: 'warning',
    write: false,
  });
  for (const { path: file, contents } of outputFiles) place(file, contents);
  for (const name of inFolder(`${out}/harness`))
    if (!files.includes(name) && name !== PLUGIN_FRAMES) rmSync(`${out}/harness/${name}`);
}

const startedAt = new Date();
await placeHeader();
buildNative({ out, buildId, isSanitized });
// One program under two names; the program checks its own name.
place(`${out}/bin/apes`, readFileSync(`${out}/bin/ape-shell`), 0o755);
await buildScript(await placeWebAssets());
if (!isSanitized) buildClientTypes();
await buildRules();
await buildReference();
await placeFilesOfHarnesses();
cpSync('src/certify/acp-editor.mjs', `${out}/acp-editor.mjs`);
placeTextsForBash();
// Written last, with the time of the start, because the check whether a build is up to date compares the sources with this file. An
// installed package reads the id of the build from this file, and gives it to the programs that it compiles.
writeFileSync(`${out}/built`, `${buildId}\n`);
utimesSync(`${out}/built`, startedAt, startedAt);
