/**
 * Makes a Debian package of this checkout, for this architecture and the nodejs of Debian (or NodeSource):
 *
 *   node scripts/package/deb.mjs [--to DIRECTORY]
 *
 * The package has the files of `npm install -g`, in the directories that Debian uses. Needs dpkg-deb, a C compiler, and Node's
 * headers, or the network to fetch the headers. Prints the path of the package.
 */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { buildNative } from '../build-native.mjs';
import { removeDirectory } from '../remove-directory.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const NODE = '/usr/bin/node';
const HOME = 'usr/lib/ape-shell';
/** The npm packages that are needed at run time; the other packages only fetch or compile these. */
const PACKAGES = ['better-sqlite3', 'bindings', 'file-uri-to-path', 'node-pty'];
/**
 * Directories of the npm package that are not in this package's own directory: its installation compiles nothing, and the pages of `docs` are
 * in /usr/share/doc.
 */
const DROPPED = [
  'bin',
  'docs',
  'scripts',
  'node_modules/better-sqlite3/deps',
  'node_modules/better-sqlite3/src',
  'node_modules/node-pty/src',
];
const { values } = parseArgs({ options: { to: { type: 'string', default: '.' } } });
const to = resolve(values.to);
const { version, description } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const [major = 0] = process.versions.node.split('.').map(Number);

/** @type {(file: string, words: readonly string[], cwd?: string) => string} */
const run = (file, words, cwd = root) =>
  execFileSync(file, words, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }).trim();

/** Installs the package by npm, with its compiled parts, and returns its folder. @param {string} stage */
function installed(stage) {
  run('npm', ['pack', '--silent', '--pack-destination', stage]);
  const tarball = join(stage, `ape-shell-${version}.tgz`);
  const words = ['install', '-g', '--no-audit', '--no-fund', '--loglevel=error'];
  run('npm', [
    ...words,
    '--ignore-scripts=false',
    `--allow-scripts=ape-shell,better-sqlite3,node-pty`,
    '--prefix',
    join(stage, 'npm'),
    tarball,
  ]);
  return join(stage, 'npm/lib/node_modules/ape-shell');
}

/** Compiles the native programs for the node of Debian's package nodejs, whichever node runs this script. @param {string} home */
function compileForDebian(home) {
  const buildId = readFileSync(join(home, 'dist/built'), 'utf8').trim();
  process.chdir(home);
  buildNative({ out: 'dist', buildId, isSanitized: false, node: NODE });
  cpSync('dist/bin/ape-shell', 'dist/bin/apes');
  process.chdir(root);
}

/** Removes what only the compilation needed, and `docs`, which has its copy in /usr/share/doc. @param {string} home */
function dropUnused(home) {
  for (const name of DROPPED) removeDirectory(join(home, name));
  const packages = join(home, 'node_modules');
  for (const name of readdirSync(packages)) if (!PACKAGES.includes(name)) removeDirectory(join(packages, name));
}

/** @type {(from: string, tree: string) => void} */
function layOut(from, tree) {
  const home = join(tree, HOME);
  mkdirSync(join(tree, 'usr/lib'), { recursive: true });
  cpSync(from, home, { recursive: true, verbatimSymlinks: true });
  compileForDebian(home);
  mkdirSync(join(tree, 'usr/bin'), { recursive: true });
  for (const name of ['ape-shell', 'apes'])
    symlinkSync(`../lib/ape-shell/dist/bin/${name}`, join(tree, 'usr/bin', name));
  /** @type {(source: string, target: string) => void} */
  const copy = (source, target) => cpSync(join(home, source), join(tree, target), { recursive: true });
  const share = 'dist/share/bash-completion/completions/apes';
  for (const name of ['ape-shell', 'apes']) copy(share, `usr/share/bash-completion/completions/${name}`);
  copy('dist/share/zsh/site-functions/_apes', 'usr/share/zsh/vendor-completions/_apes');
  copy('dist/share/fish', 'usr/share/fish');
  copy('docs', 'usr/share/doc/ape-shell/docs');
  copy('docs/examples/ape-shell-server.service', 'usr/lib/systemd/system/ape-shell-server.service');
  copy('docs/examples/ape-shell.service', 'usr/lib/systemd/user/ape-shell.service');
  const doc = join(tree, 'usr/share/doc/ape-shell');
  writeFileSync(
    join(doc, 'copyright'),
    [join(home, 'LICENSE'), join(home, 'dist/THIRD-PARTY-LICENCES')]
      .map((file) => readFileSync(file, 'utf8'))
      .join('\n'),
  );
  mkdirSync(join(tree, 'usr/share/man/man1'), { recursive: true });
  const pages = join(home, 'dist/share/man/man1');
  for (const page of readdirSync(pages))
    writeFileSync(
      join(tree, 'usr/share/man/man1', `${page}.gz`),
      gzipSync(readFileSync(join(pages, page)), { level: 9 }),
    );
  dropUnused(home);
}

/** Returns the upstream version of a Debian package on this machine: `2.36` of `2.36-9+deb12u14`. @param {string} name */
const upstreamVersion = (name) =>
  (run('dpkg-query', ['-W', name]).split('\t')[1] ?? '').replace(/^\d+:/, '').replace(/-[^-]*$/, '');

/**
 * Writes the control file. The native parts work only with one major version of Node, and with C and C++ libraries that are at least as new
 * as those of this machine, with which they were compiled. @param {string} tree
 */
function writeControl(tree) {
  const architecture = run('dpkg', ['--print-architecture']);
  const libraries = ['libc6', 'libstdc++6'].map((name) => `${name} (>= ${upstreamVersion(`${name}:${architecture}`)})`);
  const control = join(tree, 'DEBIAN');
  mkdirSync(control);
  const size = Number(run('du', ['-sk', '--exclude=DEBIAN', tree]).split('\t')[0]);
  const fields = {
    Package: 'ape-shell',
    Version: version,
    Architecture: architecture,
    Maintainer: 'ape-shell <ape-shell@localhost>',
    'Installed-Size': size,
    Depends: `nodejs (>= ${major === 20 ? '20.19' : major}), nodejs (<< ${major + 1}~), bash (>= 5.1), debianutils, passwd, ${libraries.join(', ')}`,
    Section: 'shells',
    Priority: 'optional',
    Description: `${description.replace(/\.$/, '')}\n A command waits until a person has approved it in a browser or on a phone.`,
  };
  writeFileSync(
    join(control, 'control'),
    Object.entries(fields)
      .map(([name, value]) => `${name}: ${value}\n`)
      .join(''),
  );
  for (const name of ['postinst', 'prerm', 'postrm']) {
    cpSync(join(root, 'scripts/package/debian', name), join(control, name));
    chmodSync(join(control, name), 0o755);
  }
  const sums = run(
    'sh',
    ['-c', "find . -type f ! -path './DEBIAN/*' -printf '%P\\0' | sort -z | xargs -0 md5sum"],
    tree,
  );
  writeFileSync(join(control, 'md5sums'), `${sums}\n`);
}

const stage = mkdtempSync(join(tmpdir(), 'ape-shell-deb-'));
try {
  const tree = join(stage, 'tree');
  layOut(installed(stage), tree);
  writeControl(tree);
  run('chmod', ['-R', 'u=rwX,go=rX', tree]);
  mkdirSync(to, { recursive: true });
  const file = join(to, `ape-shell_${version}_${run('dpkg', ['--print-architecture'])}.deb`);
  run('dpkg-deb', ['--root-owner-group', '-Zxz', '--build', tree, file]);
  console.log(file);
} finally {
  removeDirectory(stage);
}
