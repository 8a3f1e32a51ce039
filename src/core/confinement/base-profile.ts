/**
 * What a confined run may do besides what was approved: entries for all runs, and entries for tools that do not work
 * without them; each with its reason. No entry names keys, tokens, passwords, histories or mail. Only devices are writable.
 *
 * `read`: open and list; `execute`: read and start too; `device`: read and write a device. `~` is the home directory in the
 * user database. Paths that do not exist are skipped.
 */

/** @property tools rule names of the tools that get the entry; absent: all runs */
export interface BaseEntry {
  readonly kind: 'read' | 'execute' | 'device';
  readonly paths: readonly string[];
  readonly why: string;
  readonly tools?: readonly string[];
}

/** An entry for all runs. */
const all = (kind: BaseEntry['kind'], why: string, ...paths: readonly string[]): BaseEntry => ({ kind, paths, why });
/** An entry for runs of these tools, whose names are separated by blanks. */
const only = (tools: string, kind: BaseEntry['kind'], why: string, ...paths: readonly string[]): BaseEntry => ({
  kind,
  paths,
  why,
  tools: tools.split(' '),
});

export const BASE_PROFILE: readonly BaseEntry[] = [
  all('execute', 'programs, libraries and data of the system; only root writes there', '/usr', '/bin', '/sbin'),
  all('execute', 'the loader and the libraries, where they do not lie in /usr', '/lib', '/lib32', '/lib64', '/libx32'),
  all('execute', 'programs of other packagers; only root writes there', '/opt', '/snap', '/nix/store', '/gnu/store'),
  all('execute', 'Homebrew on Linux', '/home/linuxbrew/.linuxbrew'),
  all('read', 'which libraries the loader takes', '/etc/ld.so.cache', '/etc/ld.so.preload', '/etc/ld.so.conf'),
  all('read', 'which libraries the loader takes', '/etc/ld.so.conf.d', '/etc/ld-musl-x86_64.path'),
  all('read', 'the alternative a name of a program stands for', '/etc/alternatives'),
  all('read', 'names of users and groups; no passwords', '/etc/passwd', '/etc/group', '/etc/nsswitch.conf'),
  all('read', 'names of hosts and services', '/etc/hosts', '/etc/host.conf', '/etc/resolv.conf', '/etc/gai.conf'),
  all('read', 'names of hosts and services', '/etc/services', '/etc/protocols', '/etc/hostname', '/etc/networks'),
  all('read', 'the time zone', '/etc/localtime', '/etc/timezone'),
  all(
    'read',
    'language and character set',
    '/etc/locale.alias',
    '/etc/locale.conf',
    '/etc/default/locale',
    '/etc/papersize',
  ),
  all(
    'read',
    'what the terminal can do, and its keys',
    '/etc/terminfo',
    '/lib/terminfo',
    '/etc/inputrc',
    '/etc/lesskey',
  ),
  all(
    'read',
    'which system this is',
    '/etc/os-release',
    '/etc/debian_version',
    '/etc/lsb-release',
    '/etc/machine-info',
  ),
  all('read', 'kinds of files', '/etc/magic', '/etc/magic.mime', '/etc/mime.types', '/etc/mailcap'),
  all(
    'read',
    'certificates of authorities; no private keys lie there',
    '/etc/ssl/certs',
    '/etc/ssl/openssl.cnf',
    '/etc/pki/tls/certs',
  ),
  all(
    'read',
    'certificates of authorities',
    '/etc/pki/ca-trust/extracted',
    '/etc/ca-certificates',
    '/etc/crypto-policies',
  ),
  all(
    'read',
    'a shell reads it when it starts',
    '/etc/profile',
    '/etc/profile.d',
    '/etc/bash.bashrc',
    '/etc/zsh',
    '/etc/bash_completion.d',
  ),
  all('read', 'processes, memory and processors; the kernel hides what belongs to processes outside', '/proc'),
  all(
    'read',
    'how many processors and how much memory there are',
    '/sys/devices/system',
    '/sys/fs/cgroup',
    '/sys/kernel/mm',
  ),
  all('device', 'null, zero and random devices', '/dev/null', '/dev/zero', '/dev/full', '/dev/random', '/dev/urandom'),
  all('device', 'the terminal it runs on', '/dev/tty'),
  only(
    'git gh rg fd bat go cargo biome composer jest next poetry pre-commit turbo yarn',
    'read',
    'settings; not the credentials beside them',
    '/etc/gitconfig',
    '~/.gitconfig',
    '~/.config/git/config',
  ),
  only(
    'git gh rg fd',
    'read',
    'ignore and attribute files of git',
    '~/.config/git/ignore',
    '~/.config/git/attributes',
    '~/.gitignore',
  ),
  only(
    'man',
    'read',
    'where manual pages lie',
    '/etc/manpath.config',
    '/etc/man_db.conf',
    '/etc/groff',
    '/var/cache/man',
  ),
  only(
    'apt dpkg',
    'read',
    'what is installed, and from where',
    '/var/lib/dpkg',
    '/var/lib/apt/lists',
    '/var/lib/apt/extended_states',
  ),
  only(
    'apt dpkg',
    'read',
    'settings; not auth.conf',
    '/etc/apt/sources.list',
    '/etc/apt/sources.list.d',
    '/etc/apt/apt.conf.d',
  ),
  only(
    'apt dpkg',
    'read',
    'settings',
    '/etc/apt/preferences.d',
    '/etc/apt/trusted.gpg.d',
    '/etc/dpkg',
    '/var/cache/apt',
  ),
  only(
    'python pip pytest mypy ruff poetry uv',
    'execute',
    'versions of Python',
    '~/.pyenv',
    '~/.local/share/uv/python',
  ),
  only(
    'python pip pytest mypy ruff poetry uv',
    'execute',
    'packages and programs of the user',
    '~/.local/lib',
    '~/.local/bin',
  ),
  only(
    'python pip pytest mypy poetry',
    'read',
    'settings of the system',
    '/etc/python3',
    '/etc/python3.11',
    '/etc/pip.conf',
    '/etc/xdg/pip',
  ),
  only(
    'node npm npx pnpm yarn tsc eslint prettier jest vitest',
    'execute',
    'versions of Node',
    '~/.nvm/versions',
    '~/.volta/tools',
  ),
  only(
    'node npm npx pnpm yarn tsc eslint prettier jest vitest',
    'execute',
    'versions of Node',
    '~/.local/share/fnm',
    '~/.local/share/mise/installs',
  ),
  only('cargo rustc', 'execute', 'versions of Rust, and its programs', '~/.rustup/toolchains', '~/.cargo/bin'),
  only(
    'cargo rustc',
    'read',
    'settings, and sources of packages; not the credentials beside them',
    '~/.rustup/settings.toml',
    '~/.cargo/registry',
  ),
  only(
    'cargo rustc',
    'read',
    'settings, and sources of packages',
    '~/.cargo/git',
    '~/.cargo/config.toml',
    '~/.cargo/env',
  ),
  only('go', 'execute', 'versions of Go, and sources of packages', '~/sdk', '~/go/pkg/mod', '~/.config/go/env'),
  only(
    'java mvn gradle',
    'execute',
    'versions of Java',
    '~/.sdkman/candidates',
    '/etc/java-17-openjdk',
    '/etc/java-21-openjdk',
  ),
  only('ss', 'read', 'names of protocols', '/etc/iproute2'),
  only('mvn', 'read', 'settings of the system', '/etc/maven'),
  only('composer phpunit', 'read', 'settings of PHP', '/etc/php'),
  only('rg', 'read', 'settings', '~/.ripgreprc', '~/.config/ripgrep'),
  only('less', 'read', 'keys', '~/.lesskey', '~/.config/lesskey', '~/.less'),
  only('yarn', 'read', 'settings, where it is a file, and packages of the user', '~/.config/yarn'),
  only('jq', 'read', 'functions of the user', '~/.jq'),
  only('curl wget', 'read', 'settings of the system', '/etc/wgetrc', '/etc/curlrc'),
];

/** The entries for all runs and for these tools; `~` is replaced by `home`. */
export function baseEntriesFor(
  tools: readonly string[],
  home: string,
): readonly (readonly [BaseEntry['kind'], string])[] {
  const wanted = BASE_PROFILE.filter((entry) => entry.tools?.some((tool) => tools.includes(tool)) ?? true);
  return wanted.flatMap(({ kind, paths }) =>
    paths.map((path) => [kind, path.startsWith('~/') ? `${home}${path.slice(1)}` : path] as const),
  );
}
