/** What programs may touch whatever they do, with the reason: no finding. Never keys, credentials or files of the user. */
import type { Stage } from './stage.ts';

export interface BaseEntry {
  readonly what: readonly string[];
  /** A file, or a directory with all below it when it ends in a slash; `@HOME` and `@REPOSITORY` stand for the stage's. */
  readonly place: string;
  /** Null: every tool. */
  readonly tools: readonly string[] | null;
  readonly why: string;
}

const all = (what: string, place: string, why: string): BaseEntry => ({
  what: what.split(' '),
  place,
  tools: null,
  why,
});
const only = (tools: string, what: string, place: string, why: string): BaseEntry => ({
  what: what.split(' '),
  place,
  tools: tools.split(' '),
  why,
});

export const BASE: readonly BaseEntry[] = [
  all('read', '/usr/', 'programs, libraries and their data: the same for everybody'),
  all('read', '/lib/', 'libraries'),
  all('read', '/lib64/', 'libraries'),
  all('read', '/bin/', 'programs'),
  all('read', '/etc/ld.so.cache', 'loader'),
  all('read', '/etc/ld.so.preload', 'loader'),
  all('read', '/etc/nsswitch.conf', 'names of users and hosts'),
  all('read', '/etc/passwd', 'names of users'),
  all('read', '/etc/group', 'names of groups'),
  all('read', '/etc/hosts', 'names of hosts'),
  all('read', '/etc/host.conf', 'names of hosts'),
  all('read', '/etc/resolv.conf', 'names of hosts'),
  all('read', '/etc/gai.conf', 'names of hosts'),
  all('read', '/etc/services', 'names of ports'),
  all('read', '/etc/protocols', 'names of protocols'),
  all('read', '/etc/localtime', 'time zone'),
  all('read', '/etc/timezone', 'time zone'),
  all('read', '/etc/locale.alias', 'locale'),
  all('read', '/etc/ssl/', 'certificates of authorities; private keys there are closed to users'),
  all('read', '/etc/ca-certificates/', 'certificates of authorities'),
  all('read', '/etc/alternatives/', 'which program a name is'),
  all('read', '/etc/magic', 'kinds of files'),
  all('read', '/etc/magic.mime', 'kinds of files'),
  all('read', '/proc/self/', 'the process itself'),
  all('read', '/proc/filesystems', 'libselinux asks at every start'),
  all('read', '/proc/cpuinfo', 'how many processors'),
  all('read', '/proc/meminfo', 'how much memory'),
  all('read', '/proc/stat', 'how many processors'),
  all('read', '/proc/sys/', 'settings of the kernel'),
  all('read', '/proc/version', 'the kernel'),
  all('read', '/proc/version_signature', 'the kernel'),
  all('read', '/sys/devices/system/cpu/', 'how many processors'),
  all('read', '/sys/fs/cgroup/', 'how much memory'),
  all('read', '/sys/kernel/mm/', 'how memory is paged'),
  all('read', '/var/lib/dbus/', 'libdbus'),
  all('read write', '/dev/null', 'nothing'),
  all('read', '/dev/zero', 'nothing'),
  all('read', '/dev/full', 'nothing'),
  all('read', '/dev/urandom', 'random numbers'),
  all('read', '/dev/random', 'random numbers'),
  all('read write', '/dev/tty', 'the terminal'),
  all('read write mode time owner', '/dev/pts/', 'the terminal'),
  only('git', 'read', '@HOME/.gitconfig', 'own settings'),
  only('git', 'read', '@HOME/.config/git/', 'own settings'),
  only('git', 'read', '/etc/gitconfig', 'own settings'),
  only(
    'git',
    'write delete',
    '@REPOSITORY/.git/index.lock',
    'refreshes times in its index by the way; goes on where it may not',
  ),
  only('git', 'write', '@REPOSITORY/.git/index', 'the same'),
  only('man', 'read', '/etc/manpath.config', 'own settings'),
  only('man', 'read', '/var/cache/man/', 'index of pages'),
  only('man', 'read', '/etc/groff/', 'own settings'),
  only('apt dpkg', 'read', '/etc/apt/', 'own settings; passwords lie in auth.conf, closed to users'),
  only('apt dpkg', 'read', '/etc/dpkg/', 'own settings'),
  only('apt dpkg', 'read', '/var/lib/dpkg/', 'packages there are'),
  only('apt dpkg', 'read', '/var/lib/apt/', 'packages there are'),
  only('apt dpkg', 'read', '/var/cache/apt/', 'packages there are'),
  only('vim', 'read', '/etc/vim/', 'own settings'),
  only('nano', 'read', '/etc/nanorc', 'own settings'),
  only('curl', 'read', '@HOME/.curlrc', 'own settings'),
  only('wget', 'read', '/etc/wgetrc', 'own settings'),
  only('python pip pytest', 'read', '/etc/python3/', 'own settings'),
  only('python pip pytest', 'read', '/etc/python3.11/', 'own settings'),
  only('npm npx', 'read', '@HOME/.npmrc', 'own settings'),
  only(
    'ps top free uptime lsof pgrep pkill ss netstat df kill',
    'read',
    '/proc/',
    'what the tool shows: processes, of others only what everybody may see',
  ),
  only('df free top lsof ss netstat nproc', 'read', '/sys/', 'what the tool shows'),
  only('uptime who top', 'read', '/var/run/utmp', 'who is logged in'),
  only('uptime who top', 'read', '/run/utmp', 'who is logged in'),
];

/** Programs that a program may start besides itself, by its tool. */
export const HELPERS: Readonly<Record<string, readonly string[]>> = {
  git: ['/usr/lib/git-core/', '/usr/bin/git'],
  zcat: ['/usr/bin/gzip', '/usr/bin/xz', '/usr/bin/bzip2', '/usr/bin/zstd', '/usr/bin/zcat', '/bin/gzip'],
  gzip: ['/usr/bin/gzip'],
  tar: ['/usr/bin/gzip', '/usr/bin/xz', '/usr/bin/bzip2', '/usr/bin/zstd'],
  grep: ['/usr/bin/grep'],
  man: [
    '/usr/bin/man',
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

/** A program that runs scripts of the system: what it runs was asked for by another name. */
export const INTERPRETERS = [
  '/usr/bin/dash',
  '/usr/bin/bash',
  '/usr/bin/perl',
  '/usr/bin/python3',
  '/usr/bin/node',
  '/usr/bin/env',
];

export interface Base {
  readonly allows: (what: string, path: string, tools: ReadonlySet<string>) => boolean;
}

export function baseOf(stage: Stage): Base {
  const entries = BASE.map((entry) => {
    const place = entry.place.replace('@HOME', stage.home).replace('@REPOSITORY', stage.project);
    return { ...entry, place, isTree: place.endsWith('/') };
  });
  const allows = (what: string, path: string, tools: ReadonlySet<string>): boolean =>
    entries.some(
      (entry) =>
        entry.what.includes(what) &&
        (entry.isTree ? path.startsWith(entry.place) || `${path}/` === entry.place : path === entry.place) &&
        (entry.tools === null || entry.tools.some((tool) => tools.has(tool))),
    );
  return { allows };
}
