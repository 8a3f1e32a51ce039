/**
 * The paths that every program may touch, so that its rule file need not name them. The reads are those of the base profile of
 * confined runs, but fewer in /proc, where the kernel restricts more than a path can express. The list also has the paths that tools
 * usually try at their start.
 */
import { baseEntriesFor } from '../../src/core/confinement/base-profile.ts';
import type { Stage } from './stage.ts';

/**
 * @property what  kinds of effects; `refused`: any effect that the system refused
 * @property place a file; or, with a slash at its end, a directory and all below it (`/` is the root directory alone).
 *                 `@ANYWHERE/NAME`: this name in any directory. `@REPOSITORY`, `@INPUT`, `@HOME`, `@TREE` and `@ROOT` are paths of the
 *                 stage
 * @property tools null: every tool
 * @property why   what the program does there, and whether it works if the system refuses the access
 */
interface Extra {
  readonly what: readonly string[];
  readonly place: string;
  readonly tools: readonly string[] | null;
  readonly why: string;
}

const all = (what: string, place: string, why: string): Extra => ({ what: what.split(' '), place, tools: null, why });
const only = (tools: string, what: string, place: string, why: string): Extra => ({
  what: what.split(' '),
  place,
  tools: tools.split(' '),
  why,
});

const EXTRA: readonly Extra[] = [
  all('read write', '/proc/self/', 'the process itself'),
  all('read', '@INPUT', 'its own input, by the name /dev/stdin'),
  all('read', '/proc/filesystems', 'libselinux asks at every start'),
  all('read', '/proc/cpuinfo', 'how many processors'),
  all('read', '/proc/meminfo', 'how much memory'),
  all('read', '/proc/stat', 'how many processors'),
  all('read', '/proc/sys/', 'settings of the kernel'),
  all('read', '/proc/version', 'the kernel'),
  all('write mode time owner', '/dev/pts/', 'the terminal'),
  only('git go', 'write delete', '@REPOSITORY/.git/index.lock', 'refreshes times in its index; works without it'),
  only('git go', 'write', '@REPOSITORY/.git/index', 'the same'),
  only('fd rg', 'read', '@REPOSITORY/.git/info/exclude', 'which names to leave out; it works without it when confined'),
  only('apt dpkg', 'read write delete mode owner', '/var/lib/dpkg/', 'the record of packages, closed to users'),
  only('apt dpkg', 'read write delete mode owner', '/var/lib/apt/', 'the record of packages, closed to users'),
  only('apt dpkg', 'read write delete mode owner', '/var/cache/apt/', 'the record of packages, closed to users'),
  only('apt dpkg', 'read write delete mode owner', '/var/log/apt/', 'the record of packages, closed to users'),
  only('apt', 'read', '/etc/machine-id', 'decides when a phased update comes; it names the machine'),
  only(
    'ps top free uptime lsof pgrep pkill ss netstat df kill',
    'read',
    '/proc/',
    'the tool shows what it finds there; of processes of other users only what every user may see',
  ),
  only('df free top lsof ss netstat nproc', 'read', '/sys/', 'what the tool shows'),
  only('lsof', 'read', '/', 'what the tool shows: the names of what is mounted'),
  only('ssh scp rsync git', 'read', '/etc/ssh/ssh_config', 'settings of the system; it works without it when confined'),
  only(
    'ssh scp rsync git',
    'read',
    '/etc/ssh/ssh_config.d/',
    'settings of the system; works without them when confined',
  ),
  only('mvn gradle', 'read', '/tmp', 'the directory of temporary files'),
  only('mvn gradle', 'read write delete mkdir', '/tmp/hsperfdata_nobody/', 'figures of a running java'),
  only('mvn gradle', 'refused', '/nonexistent/', 'the home that the user database names'),
  only('mvn gradle', 'read', '/proc/cgroups', 'how much memory java may use'),
  all('mkdir', '@HOME/.cache', 'where caches lie'),
  only(
    'black python',
    'read write delete mkdir',
    '@HOME/.cache/black/',
    'which files are formatted already; works without it',
  ),
  only(
    'kubectl helm',
    'read write delete mkdir mode',
    '@HOME/.kube/cache/',
    'what the cluster can do; works without it',
  ),
  only('kubectl helm', 'mkdir', '@HOME/.kube', 'what the cluster can do; works without it'),
  only('aws pip python', 'read', '/etc', 'lists the names in it, to find out which system this is'),
  only('top', 'mkdir', '@HOME/.config', 'where it would keep its settings; works without it'),
  only('top', 'mkdir', '@HOME/.config/procps', 'where it would keep its settings; works without it'),
  only('find', 'read', '/', 'tries O_CLOEXEC on it, once; lists nothing'),
  only('curl', 'read', '/etc/ldap/ldap.conf', 'libldap reads it for the list of versions; it holds no secrets'),
  only('psql', 'read', '/etc/postgresql/', "Debian's wrapper asks which server of this machine is meant; open to all"),
  only('psql', 'read', '/etc/postgresql-common/', 'the same'),
  only('psql', 'refused', '/var/lib/postgresql/', 'the same; settings of the server, closed to users'),
  only('psql', 'refused', '/etc/shadow', "Perl's getpwuid tries it; closed to users"),
  only('uptime top', 'read', '/run/utmp', 'who is logged in'),
  only('npm npx turbo eslint', 'mkdir', '@HOME/.npm', 'where its log lies; works without it'),
  only(
    'npm npx turbo eslint',
    'read write delete mkdir',
    '@HOME/.npm/_logs/',
    'its log of the last calls; works without it',
  ),
  only(
    'npm npx turbo eslint',
    'write',
    '@HOME/.npm/_update-notifier-last-checked',
    'when it last asked for a newer npm',
  ),
  only(
    'netstat',
    'connect',
    'inet 10.255.255.53 53',
    'asks for names of addresses, as its card says; confined, it shows numbers',
  ),
  only(
    'npm npx turbo',
    'connect',
    'inet 10.255.255.53 53',
    'once a week it asks for a newer npm; it works without it when confined',
  ),
  only(
    'npm npx turbo eslint',
    'read',
    '@HOME/.gitconfig',
    'which git it would call; it works without it when confined',
  ),
  ...['.package-cache', '.package-cache-mutate', '.global-cache'].map((name) =>
    only('cargo', 'read write', `@HOME/.cargo/${name}`, 'locks for its store; it works without it when confined'),
  ),
  ...['', '/v6', '/v6/.tmp'].map((name) =>
    only('yarn', 'mkdir', `@HOME/.cache/yarn${name}`, 'where packages would lie; works without it'),
  ),
  only('yarn ts-node', 'read write mkdir', '/tmp/v8-compile-cache-65534/', 'its own compiled code; works without it'),
  only(
    'pytest python poetry uv',
    'read write mkdir',
    '@ANYWHERE/.pytest_cache/',
    'which tests failed, in the root directory of the tests, as its card says; works without it',
  ),
  only('tldr', 'read write delete mkdir', '@HOME/.tldr/', 'its pages, which its card names'),
  only('tldr', 'read mkdir write delete', '/tmp/tldr/', 'pages that it unpacks'),
  ...['.yarn', '.yarn/bin'].map((name) =>
    only('yarn', 'mkdir', `@HOME/${name}`, 'where programs for the whole user would lie; works without it'),
  ),
  ...['turbo', 'next'].map((tool) => only(tool, 'mkdir', '@HOME/.config', 'the way to its settings; works without it')),
  only('turbo', 'mkdir', '@HOME/.config/turborepo', 'whether it reports figures, and as whom; works without it'),
  only('turbo', 'read write', '@HOME/.config/turborepo/telemetry.json', 'the same'),
  only('next', 'read write delete mkdir', '@HOME/.config/nextjs-nodejs/', 'the same'),
  ...['', '/share', '/share/pnpm'].map((name) =>
    only('pnpm', 'mkdir', `@HOME/.local${name}`, 'the way to its store, where there is none yet'),
  ),
  ...['/var', '/var/tmp', '@ROOT', '@TREE', '@TREE/home', '@HOME', '@HOME/code'].map((place) =>
    only(
      'pnpm',
      'read',
      place,
      'lists the names in it: it looks upwards for a workspace; it works without it when confined',
    ),
  ),
  only('pnpm', 'read', '/proc', 'which processes its own script left, by ps; it works without it when confined'),
  only('pnpm', 'read', '/proc/uptime', 'the same'),
  only('nx', 'read', '@HOME/.gitconfig', 'which git npm would call; it works without it when confined'),
  only('biome', 'mkdir', '@HOME/.cache/biome', 'where its log would lie; works without it'),
  only('gcloud', 'mkdir', '@HOME/.config', 'where its settings lie; works without it'),
  ...['', '/configurations', '/logs'].map((name) =>
    only('gcloud', 'read mkdir', `@HOME/.config/gcloud${name}`, 'where its settings lie; works without it'),
  ),
  ...['active_config', 'configurations/config_default', 'gce', '.last_survey_prompt.yaml', 'default_configs.db'].map(
    (name) =>
      only('gcloud', 'read write', `@HOME/.config/gcloud/${name}`, 'settings with nothing in them; works without it'),
  ),
  only('gcloud', 'write delete', '@HOME/.config/gcloud/default_configs.db-journal', 'the same'),
  only('gcloud', 'write mkdir', '@HOME/.config/gcloud/logs/', 'its log of the last calls; works without it'),
  ...['credentials.db', 'access_tokens.db'].flatMap((name) => [
    only(
      'gcloud',
      'write',
      `@HOME/.config/gcloud/${name}`,
      'the credentials of the user, in whose name it asks, as its card says; it works without it when confined',
    ),
    only('gcloud', 'write delete', `@HOME/.config/gcloud/${name}-journal`, 'the same'),
  ]),
  only('terraform', 'connect', 'inet 10.255.255.53 53', 'asks for a newer version; it works without it when confined'),
  ...['/etc/gitconfig', '@HOME/.gitconfig'].map((place) =>
    only('gcloud', 'read', place, 'what git says of the user; it works without it when confined'),
  ),
  only('gcloud', 'refused', '/usr/lib/google-cloud-sdk/', 'its own compiled code'),
  only('ln', 'refused', '@TREE/', 'with -f, a name beside the target: a link to another file system is impossible'),
  only('terraform', 'read mkdir', '@HOME/.terraform.d', 'when it last asked for a newer version; works without it'),
  only('terraform', 'write', '@HOME/.terraform.d/checkpoint_signature', 'the same'),
  ...['/etc', '/etc/rcS.d', '/etc/rc5.d'].map((place) =>
    only('systemctl', 'read', place, 'the names of services of System V, which its helper looks for'),
  ),
  only('pylint', 'read write mkdir', '@HOME/.cache/pylint', 'the last score; works without it'),
  only('pylint', 'read write mkdir', '@HOME/.cache/pylint/', 'the last score; works without it'),
  only('pylint', 'read', '/etc', 'lists the names beside a file that it checks'),
  ...['.local', '.local/share', '.config'].map((name) =>
    only('composer', 'mkdir', `@HOME/${name}`, 'the way to its own directories; works without it'),
  ),
  ...['.local/share/composer/', '.config/composer/', '.cache/composer/'].map((name) =>
    only(
      'composer',
      'read write delete mkdir',
      `@HOME/${name}`,
      'what it fetched, and files that keep web servers out; works without it',
    ),
  ),
  only('journalctl', 'read', '/sys/devices/', 'what is known of a device whose messages it is asked for'),
  only('systemctl', 'read', '/etc/systemd/', 'what the tool shows: units, which systemd shows to everybody'),
];

const inUsr = (name: string): string => `/usr/bin/${name}`;

/** Programs by which Python's packages find out which distribution this is. */
const DISTRIBUTION = ['lsb_release', 'getopt', 'cut', 'tr', 'uname'].map(inUsr);

/** The programs to which `cc` leads, by their names in Debian. */
const COMPILERS = ['x86_64-linux-gnu', 'aarch64-linux-gnu'].flatMap((machine) =>
  ['gcc-12', 'as', 'ld.bfd'].map((name) => inUsr(`${machine}-${name}`)),
);

/** The programs that each tool starts by itself. */
const HELPERS: Readonly<Record<string, readonly string[]>> = {
  // bisect and submodule are scripts, and git starts sh to ask a repository in a directory. The programs that they start are judged too.
  git: [
    '/usr/lib/git-core/',
    '/usr/bin/git',
    ...['dash', 'sed', 'basename', 'gettext', 'envsubst', 'uname'].map(inUsr),
    '/usr/bin/ssh', // as the cards say
    '/usr/bin/true', // the editor of a covered line
  ],
  gh: ['/usr/lib/git-core/', '/usr/bin/git'],
  psql: ['/usr/lib/postgresql/'],
  // ldd finds out which C library there is; then the program in the package; git says which files have changed.
  biome: [
    '/usr/bin/ldd',
    ...['/usr/lib', '/usr/local/lib'].map((place) => `${place}/node_modules/@biomejs/`),
    '/usr/bin/git',
  ],
  jest: [inUsr('git')], // reports which files have changed
  next: ['getconf', 'git'].map(inUsr), // for its report: which C library, and where the repository comes from
  // The program in its package; git, which reports what has changed; for scripts, sh and the package manager of the project.
  turbo: ['/usr/lib', '/usr/local/lib'].map((place) => `${place}/node_modules/turbo/`),
  make: ['dash', 'echo', 'rm'].map(inUsr), // the programs in the stage's makefile
  zcat: ['/usr/bin/gzip', '/usr/bin/xz', '/usr/bin/bzip2', '/usr/bin/zstd', '/usr/bin/zcat'],
  gzip: ['/usr/bin/gzip'],
  file: ['/usr/bin/gzip', '/usr/bin/xz', '/usr/bin/bzip2', '/usr/bin/zstd'],
  tar: ['/usr/bin/dash', '/usr/bin/gzip', '/usr/bin/xz', '/usr/bin/bzip2', '/usr/bin/zstd'],
  grep: ['/usr/bin/grep'],
  rsync: ['/usr/bin/ssh'],
  scp: ['/usr/bin/ssh', '/usr/bin/sftp'],
  dpkg: ['/usr/bin/dpkg-query', '/usr/bin/dpkg-deb'],
  cargo: ['/usr/bin/cargo-fmt', '/usr/bin/rustfmt', '/usr/bin/rustc'],
  // `go list` asks git too; cgo compiles, and `go env` asks the compiler what it can do.
  go: ['/usr/lib/go-1.19/bin/', '/usr/lib/go-1.19/pkg/tool/', '/usr/lib/gcc/', '/usr/bin/git', ...COMPILERS],
  // Java, and the programs that the start script of gradle calls.
  gradle: ['/usr/lib/jvm/', ...['uname', 'ls', 'expr', 'dirname', 'basename', 'sed', 'which.debianutils'].map(inUsr)],
  composer: ['stty', 'grep', 'git'].map(inUsr), // how wide the terminal is, and which branch this is
  bundle: ['stty', 'tput'].map(inUsr), // how wide the terminal is
  poetry: [inUsr('git')], // returns the name of the author
  yarn: [inUsr('git')], // returns the name of the author
  eslint: ['/usr/lib/node_modules/npm/bin/'], // npm fetches what `--init` runs
  'pre-commit': [inUsr('git')],
  // `ps` at its end, to find processes that its script left. Since version 11 a script and Node start the program in its package.
  pnpm: [
    ...['ps', 'readlink', 'node'].map(inUsr),
    ...['/usr/lib', '/usr/local/lib'].map((place) => `${place}/node_modules/pnpm/`),
  ],
  tsc: ['/usr/lib', '/usr/local/lib'].map((place) => `${place}/node_modules/typescript/`), // the program in its package, since version 7
  nx: ['/usr/lib/node_modules/npm/bin/'], // asks npm for its version
  mvn: ['/usr/lib/jvm/', ...['uname', 'ls', 'expr', 'dirname', 'basename', 'readlink'].map(inUsr)],
  // The Python that comes with it, and the programs that its start script calls.
  gcloud: [
    '/usr/lib/google-cloud-sdk/platform/bundledpythonunix/bin/',
    // `gcloud storage` asks git who the user is, and ssh which version it has.
    ...['dirname', 'readlink', 'tput', 'uname', 'git', 'ssh'].map(inUsr),
  ],
  systemctl: ['/usr/lib/systemd/systemd-sysv-install', ...['dash', 'getopt', 'ls'].map(inUsr)],
  // dash runs the stage's `prog`. In a new environment, ensurepip calls pip, which starts the others.
  python: [...DISTRIBUTION, ...['dash', 'rustc'].map(inUsr)],
  aws: DISTRIBUTION,
  pip: [...DISTRIBUTION, inUsr('rustc')], // its user agent names the compiler
  yq: ['/usr/bin/jq'],
  apt: ['/usr/bin/dpkg', '/usr/lib/apt/'],
  man: [
    '/usr/bin/man',
    '/usr/bin/whatis',
    '/usr/bin/apropos',
    '/usr/bin/groff',
    '/usr/bin/troff',
    '/usr/bin/grotty',
    '/usr/bin/preconv',
    '/usr/bin/tbl',
    '/usr/bin/nroff',
    '/usr/bin/locale',
    '/usr/lib/man-db/',
    '/usr/bin/mandb',
  ],
};

/** Interpreters. A program of the system may be a script, and one of these runs it. */
const INTERPRETERS: readonly RegExp[] = [
  /^\/usr\/bin\/(?:dash|bash|perl|env|node)$/,
  /^\/usr\/bin\/python3(?:\.\d+)?$/,
  /^\/usr\/bin\/(?:ruby|php)\d\.\d$/,
];
export const isInterpreter = (program: string): boolean => INTERPRETERS.some((pattern) => pattern.test(program));

/** @property error 0, or the number of the error with which the system refused it */
type BaseAccess = { readonly what: string; readonly path: string; readonly error: number };

export interface Base {
  readonly allows: (access: BaseAccess, tools: ReadonlySet<string>) => boolean;
  readonly mayStart: (program: string, tools: ReadonlySet<string>) => boolean;
}

const isIn = (place: string, path: string): boolean =>
  place.startsWith('@ANYWHERE/') ? `${path}/`.includes(place.slice('@ANYWHERE'.length)) : isAt(place, path);

const isAt = (place: string, path: string): boolean =>
  place.endsWith('/') && place !== '/' ? path.startsWith(place) || `${path}/` === place : path === place;

export function baseOf(stage: Stage): Base {
  const profiles = new Map<string, (access: BaseAccess) => boolean>();
  const profileOf = (tools: ReadonlySet<string>) => {
    const names = [...tools].sort();
    const key = names.join(' ');
    const found = profiles.get(key) ?? placesFor(names, stage);
    profiles.set(key, found);
    return found;
  };
  return {
    allows: (access, tools) => profileOf(tools)(access),
    mayStart: (program, tools) => [...tools].some((tool) => (HELPERS[tool] ?? []).some((each) => isIn(each, program))),
  };
}

function placesFor(tools: readonly string[], stage: Stage): (access: BaseAccess) => boolean {
  const profile = baseEntriesFor(tools, stage.home).filter(([, path]) => path !== '/proc');
  const extra = EXTRA.filter((entry) => entry.tools === null || entry.tools.some((tool) => tools.includes(tool))).map(
    (entry) => ({
      ...entry,
      place: entry.place
        .replace('@REPOSITORY', stage.project)
        .replace('@INPUT', stage.input)
        .replace('@HOME', stage.home)
        .replace('@TREE', stage.tree)
        .replace('@ROOT', stage.root),
    }),
  );
  return ({ what, path, error }) =>
    extra.some(
      (entry) =>
        (entry.what.includes(what) || (error !== 0 && entry.what.includes('refused'))) && isIn(entry.place, path),
    ) ||
    (what === 'read' && profile.some(([, place]) => path === place || path.startsWith(`${place}/`))) ||
    (what === 'write' && profile.some(([kind, place]) => kind === 'device' && path === place));
}
