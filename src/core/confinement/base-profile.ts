/**
 * What a confined run may do besides what was approved. Some entries are for all runs. The other entries are for the runs of certain tools.
 * No entry names a file that is made for private keys, tokens, passwords, histories or mail. But a file with settings can contain a token
 * or a password. Only devices are writable.
 *
 * The kind of an entry says what a run may do with the paths:
 * - `read`: open and list
 * - `execute`: open, list, and start programs
 * - `device`: read and write
 *
 * `~` is the home directory in the user database. Paths that do not exist are skipped.
 */

/**
 * @property why   why a run needs these paths, or what they contain
 * @property tools rule names (such as `git`) of the tools whose runs get the entry; absent: all runs get it
 */
export interface BaseEntry {
  readonly kind: 'read' | 'execute' | 'device';
  readonly paths: readonly string[];
  readonly why: string;
  readonly tools?: readonly string[];
}

const forAllRuns = (kind: BaseEntry['kind'], why: string, ...paths: readonly string[]): BaseEntry => ({
  kind,
  paths,
  why,
});
/** @param tools rule names, separated by spaces */
const forTools = (tools: string, kind: BaseEntry['kind'], why: string, ...paths: readonly string[]): BaseEntry => ({
  kind,
  paths,
  why,
  tools: tools.split(' '),
});

export const BASE_PROFILE: readonly BaseEntry[] = [
  forAllRuns('execute', 'programs, libraries and data of the system; only root writes there', '/usr', '/bin', '/sbin'),
  forAllRuns(
    'execute',
    'the loader and the libraries, where they do not lie in /usr',
    '/lib',
    '/lib32',
    '/lib64',
    '/libx32',
  ),
  forAllRuns(
    'execute',
    'programs of other packagers; only root writes there',
    '/opt',
    '/snap',
    '/nix/store',
    '/gnu/store',
  ),
  forAllRuns('execute', 'Homebrew on Linux', '/home/linuxbrew/.linuxbrew'),
  forAllRuns('read', 'which libraries the loader takes', '/etc/ld.so.cache', '/etc/ld.so.preload', '/etc/ld.so.conf'),
  forAllRuns('read', 'which libraries the loader takes', '/etc/ld.so.conf.d', '/etc/ld-musl-x86_64.path'),
  forAllRuns('read', 'links from the name of a program to the alternative that is installed', '/etc/alternatives'),
  forAllRuns('read', 'names of users and groups; no passwords', '/etc/passwd', '/etc/group', '/etc/nsswitch.conf'),
  forAllRuns(
    'read',
    'names of hosts and services',
    '/etc/hosts',
    '/etc/host.conf',
    '/etc/resolv.conf',
    '/etc/gai.conf',
  ),
  forAllRuns(
    'read',
    'names of hosts and services',
    '/etc/services',
    '/etc/protocols',
    '/etc/hostname',
    '/etc/networks',
  ),
  forAllRuns('read', 'the time zone', '/etc/localtime', '/etc/timezone'),
  forAllRuns(
    'read',
    'language and character set',
    '/etc/locale.alias',
    '/etc/locale.conf',
    '/etc/default/locale',
    '/etc/papersize',
  ),
  forAllRuns(
    'read',
    'what the terminal can do, and its keys',
    '/etc/terminfo',
    '/lib/terminfo',
    '/etc/inputrc',
    '/etc/lesskey',
  ),
  forAllRuns(
    'read',
    'which system this is',
    '/etc/os-release',
    '/etc/debian_version',
    '/etc/lsb-release',
    '/etc/machine-info',
  ),
  forAllRuns('read', 'kinds of files', '/etc/magic', '/etc/magic.mime', '/etc/mime.types', '/etc/mailcap'),
  forAllRuns(
    'read',
    'certificates of authorities; no private keys lie there',
    '/etc/ssl/certs',
    '/etc/ssl/openssl.cnf',
    '/etc/pki/tls/certs',
  ),
  forAllRuns(
    'read',
    'certificates of authorities',
    '/etc/pki/ca-trust/extracted',
    '/etc/ca-certificates',
    '/etc/crypto-policies',
  ),
  forAllRuns(
    'read',
    'a shell reads it when it starts',
    '/etc/profile',
    '/etc/profile.d',
    '/etc/bash.bashrc',
    '/etc/zsh',
    '/etc/bash_completion.d',
  ),
  forAllRuns(
    'read',
    'processes, memory and processors; the kernel hides data of processes outside the confinement',
    '/proc',
  ),
  forAllRuns(
    'read',
    'how many processors and how much memory there are',
    '/sys/devices/system',
    '/sys/fs/cgroup',
    '/sys/kernel/mm',
  ),
  forAllRuns(
    'device',
    'null, zero and random devices',
    '/dev/null',
    '/dev/zero',
    '/dev/full',
    '/dev/random',
    '/dev/urandom',
  ),
  forAllRuns('device', 'the terminal of the run', '/dev/tty'),
  forTools(
    'git gh rg fd bat go cargo biome composer jest next poetry pre-commit turbo yarn',
    'read',
    'settings; not the credentials beside them',
    '/etc/gitconfig',
    '~/.gitconfig',
    '~/.config/git/config',
  ),
  forTools(
    'git gh rg fd',
    'read',
    'ignore and attribute files of git',
    '~/.config/git/ignore',
    '~/.config/git/attributes',
    '~/.gitignore',
  ),
  forTools(
    'man',
    'read',
    'where manual pages lie',
    '/etc/manpath.config',
    '/etc/man_db.conf',
    '/etc/groff',
    '/var/cache/man',
  ),
  forTools(
    'apt dpkg',
    'read',
    'what is installed, and from where',
    '/var/lib/dpkg',
    '/var/lib/apt/lists',
    '/var/lib/apt/extended_states',
  ),
  forTools(
    'apt dpkg',
    'read',
    'settings; not auth.conf',
    '/etc/apt/sources.list',
    '/etc/apt/sources.list.d',
    '/etc/apt/apt.conf.d',
  ),
  forTools(
    'apt dpkg',
    'read',
    'settings',
    '/etc/apt/preferences.d',
    '/etc/apt/trusted.gpg.d',
    '/etc/dpkg',
    '/var/cache/apt',
  ),
  forTools(
    'python pip pytest mypy ruff poetry uv',
    'execute',
    'versions of Python',
    '~/.pyenv',
    '~/.local/share/uv/python',
  ),
  forTools(
    'python pip pytest mypy ruff poetry uv',
    'execute',
    'packages and programs of the user',
    '~/.local/lib',
    '~/.local/bin',
  ),
  forTools(
    'python pip pytest mypy poetry',
    'read',
    'settings of the system',
    '/etc/python3',
    '/etc/python3.11',
    '/etc/pip.conf',
    '/etc/xdg/pip',
  ),
  forTools(
    'node npm npx pnpm yarn tsc eslint prettier jest vitest',
    'execute',
    'versions of Node',
    '~/.nvm/versions',
    '~/.volta/tools',
  ),
  forTools(
    'node npm npx pnpm yarn tsc eslint prettier jest vitest',
    'execute',
    'versions of Node',
    '~/.local/share/fnm',
    '~/.local/share/mise/installs',
  ),
  forTools('cargo rustc', 'execute', 'versions of Rust, and its programs', '~/.rustup/toolchains', '~/.cargo/bin'),
  forTools(
    'cargo rustc',
    'read',
    'settings, and sources of packages; not the credentials beside them',
    '~/.rustup/settings.toml',
    '~/.cargo/registry',
  ),
  forTools(
    'cargo rustc',
    'read',
    'settings, and sources of packages',
    '~/.cargo/git',
    '~/.cargo/config.toml',
    '~/.cargo/env',
  ),
  forTools('go', 'execute', 'versions of Go, and sources of packages', '~/sdk', '~/go/pkg/mod', '~/.config/go/env'),
  forTools(
    'java mvn gradle',
    'execute',
    'versions of Java',
    '~/.sdkman/candidates',
    '/etc/java-17-openjdk',
    '/etc/java-21-openjdk',
  ),
  forTools('ss', 'read', 'names of protocols', '/etc/iproute2'),
  forTools('mvn', 'read', 'settings of the system', '/etc/maven'),
  forTools('composer phpunit', 'read', 'settings of PHP', '/etc/php'),
  forTools('rg', 'read', 'settings', '~/.ripgreprc', '~/.config/ripgrep'),
  forTools('less', 'read', 'keys', '~/.lesskey', '~/.config/lesskey', '~/.less'),
  forTools('yarn', 'read', 'a file with settings, or a directory with packages of the user', '~/.config/yarn'),
  forTools('jq', 'read', 'functions of the user', '~/.jq'),
  forTools('curl wget', 'read', 'settings of the system', '/etc/wgetrc', '/etc/curlrc'),
];

/**
 * Returns the kind and the paths of the entries for all runs and for these tools. Replaces `~` by `home`.
 * @param tools rule names (`git`) and names of programs, as in `Confinement.tools`
 * @param home  absolute
 */
export function baseEntriesFor(
  tools: readonly string[],
  home: string,
): readonly (readonly [BaseEntry['kind'], string])[] {
  const wanted = BASE_PROFILE.filter((entry) => entry.tools?.some((tool) => tools.includes(tool)) ?? true);
  return wanted.flatMap(({ kind, paths }) =>
    paths.map((path) => [kind, path.startsWith('~/') ? `${home}${path.slice(1)}` : path] as const),
  );
}
