/**
 * Finds out whether git would run hooks in a repository, and whether the repository has a remote on this host. Reads git's files; runs no
 * program.
 */
import { readdirSync } from 'node:fs';
import { hostname, networkInterfaces } from 'node:os';
import { join } from 'node:path';
import type { HookKind } from '../../core/effects/command-context.ts';
import { addressesOf } from '../../core/policy/host-address.ts';
import type { GitSetting } from '../../core/text/git-settings.ts';
import { isUsualEditor } from '../../core/variables/usual-variables.ts';
import { kindOfPlace } from '../../platform/confinement.ts';
import { type GitPlace, gitPlaceOf } from './git-place.ts';
import { mayRunProjectCode, PROGRAM_KEY } from './git-programs.ts';
import { gitSettingsFiles, plainPaths, readGitSettings, settingsOfRepository } from './git-settings-files.ts';
import { placeOnDisk } from './place-on-disk.ts';

/** Hooks that git can start for a change of the index or of a ref, and for the `git gc --auto` after such a change, githooks(5). */
const RECORD_HOOKS: ReadonlySet<string> = new Set(['post-index-change', 'reference-transaction', 'pre-auto-gc']);

/**
 * Whether git possibly runs hooks of this kind in the directory. In doubt returns true, for example for a file that cannot be read. Outside
 * a repository, only `url` can be true.
 * - `any`:    all hooks. True if there is a `core.hooksPath`, or if `hooks` has a file (of any mode) that is not an example
 * - `record`: the hooks of RECORD_HOOKS. True if `hooks` or the directory of `core.hooksPath` has a file with the name of such a hook
 * - `remote`: the hooks that a push runs in another repository on this host. True if a remote is possibly on this host (`mayNameLocal`),
 *   or if a directory of OLD_REMOTES has a file
 * - `refspec`, `upstream`, `url`: not about hooks. True if there possibly is a setting of this kind (`isKindOfSetting`), or if a directory
 *   of OLD_REMOTES has a file
 * - `sort`:   not about hooks. True if there possibly is a setting of this kind
 * - `editor`: not about hooks. True if a settings file of the repository possibly names an editor that is not usual
 *
 * `any` and `record` are also true in two cases: the settings have a section `hook`, or the settings possibly name a program that runs
 * code of the project (`mayRunProjectCode`).
 * @param entries the environment variables with which git would run
 */
export function hasHooks(directory: string, which: HookKind, entries: ReadonlyMap<string, string>): boolean {
  const place = gitPlaceOf(directory);
  const isUnknownPlace = place === null && placeOnDisk.repositoryOf(directory) !== null;
  if (isUnknownPlace || (place === null && which !== 'url')) return isUnknownPlace;
  // If `.git` has a file `commondir`, git reads settings and hooks in another directory. This function does not read that directory.
  if (place !== null && place.directory === place.common && isThere(join(place.common, 'commondir'))) return true;
  const isMeant = VARIABLE_OF[which];
  if ([...entries].some(([name, value]) => /^GIT_CONFIG_(?:KEY|PARAM)/.test(name) && isMeant.test(value))) return true;
  const home = entries.get('HOME') ?? '';
  const files = which === 'editor' && place !== null ? settingsOfRepository(place) : gitSettingsFiles(place, entries);
  const settings = readGitSettings(files, home)?.settings ?? null;
  if (settings === null) return true;
  if (which === 'editor') return settings.some(namesOddEditor);
  if (which === 'sort') return settings.some((setting) => isKindOfSetting(which, setting));
  if (which === 'refspec' || which === 'upstream' || which === 'url')
    return hasOldRemote(place) || settings.some((setting) => isKindOfSetting(which, setting));
  if (place === null) return true;
  if (which === 'remote') return hasOldRemote(place) || settings.some(mayNameLocal);
  // Since git 2.54 a section `hook` can name a command.
  if (settings.some((setting) => setting.section === 'hook' || mayRunProjectCode(setting))) return true;
  const named = plainPaths(settings.filter(isHooksPath), place.top, home);
  if (named === null || (which === 'any' && named.length > 0)) return true;
  return [join(place.common, 'hooks'), ...named].some((path) => hasHookFile(path, which));
}

const RUNS_PROGRAM = new RegExp(`hook|include|${PROGRAM_KEY.source}`, 'i');
/** For each kind: matches a value of `GIT_CONFIG_KEY_N` or `GIT_CONFIG_PARAMETERS` that possibly names a setting of this kind. */
const VARIABLE_OF: Readonly<Record<HookKind, RegExp>> = {
  any: RUNS_PROGRAM,
  record: RUNS_PROGRAM,
  remote: /url|remote|include/i,
  refspec: /push|fetch|prune|remote|include/i,
  upstream: /push|include/i,
  url: /url|bundleuri|include/i,
  sort: /sort|include/i,
  editor: /editor|include/i,
};

const [FALSE, NEVER] = [/^false$/, /$^/];
/** The fields of refs that git reads from objects without another program, git-for-each-ref(1). `signature` is not among them. */
const PLAIN_SORT =
  /^-?(?:version:|v:)?\*?(?:refname|objectname|objecttype|objectsize|deltabase|tree|parent|numparent|object|type|tag|author|committer|tagger|creator|subject|body|contents|HEAD|upstream|push|symref|worktreepath|(?:author|committer|tagger|creator)(?:name|email|date)|version|ahead-behind)(?::[\w=.,/-]*)?$/;
/**
 * For each kind, maps a section and key to a pattern for plain values. A setting in the map is of this kind if its value is not plain. If
 * all settings in `refspec` have plain values, a push that names refs writes only the named refs. A fetch then writes only the named refs,
 * remote-tracking refs and tags, and deletes no ref.
 *
 * The map lacks `fetch.prune` and `push.followTags`, because ape-shell sets both for a covered line. The map has `remote.prune`, because
 * git prefers `remote.NAME.prune` to `fetch.prune`.
 */
const PLAIN_VALUES: Readonly<Record<'refspec' | 'upstream' | 'sort', ReadonlyMap<string, RegExp>>> = {
  refspec: new Map([
    ['push.default', /^(?:nothing|current|simple|matching)$/],
    [
      'remote.fetch',
      /^(?:\^refs\/[\w./*-]+|\+?refs\/[\w./*-]+:refs\/remotes\/[\w./*-]+|\+?refs\/tags\/\*:refs\/tags\/\*)$/,
    ],
    ['remote.mirror', FALSE],
    ['remote.prune', FALSE],
    ['remote.prunetags', FALSE],
    ['remote.push', NEVER],
  ]),
  upstream: new Map([['push.autosetupremote', FALSE]]),
  sort: new Map([
    ['branch.sort', PLAIN_SORT],
    ['tag.sort', PLAIN_SORT],
  ]),
};

/** Whether the setting possibly names an editor that is not usual. An empty value, `:`, `true` and `cat` open no editor. */
const namesOddEditor = ({ section, key, value }: GitSetting): boolean =>
  (section === 'core' || section === 'sequence') &&
  key === 'editor' &&
  !(value !== null && (/^(?:|:|true|cat)$/.test(value) || isUsualEditor(value)));

/** For git, a key without a value is true. */
const givenValue = ({ value }: GitSetting): string => value ?? 'true';

/**
 * Whether a setting is possibly of this kind; in doubt true.
 * - `refspec`:  chooses the refs that a push or a fetch writes, or lets a fetch delete refs
 * - `upstream`: makes a push set the upstream of the branch
 * - `url`:      replaces URLs
 * - `sort`:     sorts branches or tags by their signatures, which the program for signatures checks
 */
function isKindOfSetting(which: 'refspec' | 'upstream' | 'url' | 'sort', setting: GitSetting): boolean {
  const { section, key } = setting;
  if (which === 'url') return section === 'url' || key === 'bundleuri';
  return PLAIN_VALUES[which].get(`${section}.${key}`)?.test(givenValue(setting)) === false;
}

/** Directories in which git also looks for remotes, gitrepository-layout(5). */
const OLD_REMOTES = ['remotes', 'branches'];
const hasOldRemote = (place: GitPlace | null): boolean =>
  place !== null && OLD_REMOTES.some((name) => hasName(join(place.common, name), () => true));

const PLACE_ELSEWHERE =
  /^(?:(?:https?|ssh|git):\/\/(?:[^/?@"\\;#]*@)?(\[[^\]/]*\]|[^/?:@"\\;#]+)(?::\d*)?(?:\/|$)|(?:[\w-]+@)?([\w.-]+):(?!:|\/\/))[^"\\;#]*$/i;
const REMOTE_NAME = /^[\w-][\w.-]*$/;

/**
 * Whether a setting possibly names a repository on this host; in doubt true. Also true for the repository itself (`.`). The following
 * settings name repositories, git-config(1):
 * - A section `url` has the URL or path of a repository as its subsection.
 * - A key that ends in `url` has such a URL or path as its value.
 * - A key that ends in `remote` or `pushdefault` has a URL, a path or the name of a remote as its value.
 * - A key of the section `remotes` has several URLs, paths or remote names as its value.
 */
function mayNameLocal(setting: GitSetting): boolean {
  const { section, subsection, key } = setting;
  const value = givenValue(setting);
  const isRemote = (text: string): boolean => REMOTE_NAME.test(text) || isElsewhere(text);
  return (
    (section === 'url' && !isElsewhere(subsection ?? '')) ||
    (key.endsWith('url') && !isElsewhere(value)) ||
    (/(?:remote|pushdefault)$/.test(key) && !isRemote(value)) ||
    (section === 'remotes' && !value.split(/[ \t\r\n]+/).every(isRemote))
  );
}

function isElsewhere(place: string): boolean {
  const found = PLACE_ELSEWHERE.exec(place);
  return found !== null && !isThisHost(found[1] ?? found[2] ?? '');
}

/** Matches numeric addresses, also `127.1`. If FOUR_NUMBERS does not match a numeric address, the address counts as this host. */
const ODD_ADDRESS = /^(?:(?:0x[0-9a-f]*|\d+)(?:\.|$))+$/i;
const FOUR_NUMBERS = /^(?:(?:0|[1-9]\d{0,2})(?:\.|$)){4}$/;

/**
 * Whether the name or address possibly means this host. True also for a name with an escape (`%6c`) or with a character that is not ASCII.
 * This function does not know the names that ssh's settings or DNS give to this host.
 */
function isThisHost(written: string): boolean {
  const host = written
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '');
  if (host.includes(':')) return isOwnAddress(host);
  if (/[^!-~]|%/.test(host)) return true;
  if (/(?:^|\.)localhost[46]?(?:\.localdomain[46]?)?$|^ip6-(?:localhost|loopback)$|^127\.|^0\./.test(host)) return true;
  if (ODD_ADDRESS.test(host) && !FOUR_NUMBERS.test(host)) return true;
  const own = hostname().toLowerCase();
  const short = own.split('.')[0] ?? own;
  if (host === own || host === short || host === `${short}.local` || host.startsWith(`${short}.`)) return true;
  return ownAddresses().includes(host);
}

/**
 * Whether an IPv6 address is an address of this host. The spelling and the zone do not matter. Also true for a text that is no address.
 * Also true for the addresses that begin with 80 zero bits: the loopback address, and IPv4 addresses in the form of IPv6 (RFC 4291, 2.5).
 */
function isOwnAddress(address: string): boolean {
  const [usual] = addressesOf(address);
  if (usual === undefined || usual.startsWith('::') || !usual.includes(':')) return true; // `addressesOf` spells `::ffff:…` as IPv4
  return ownAddresses().some((own) => addressesOf(own).includes(usual));
}

const ownAddresses = (): readonly string[] =>
  Object.values(networkInterfaces()).flatMap((list) => (list ?? []).map(({ address }) => address));

const hasHookFile = (directory: string, which: 'any' | 'record'): boolean =>
  hasName(directory, (name) => (which === 'record' ? RECORD_HOOKS.has(name) : !name.endsWith('.sample')));

/** Whether the directory has an entry whose name `isMeant` accepts. Also true if the directory exists but cannot be read. */
function hasName(directory: string, isMeant: (name: string) => boolean): boolean {
  try {
    return readdirSync(directory).some(isMeant);
  } catch {
    return isThere(directory);
  }
}

const isHooksPath = ({ section, subsection, key }: GitSetting): boolean =>
  section === 'core' && subsection === null && key === 'hookspath';

const isThere = (path: string): boolean => kindOfPlace(path) !== 'nothing';
