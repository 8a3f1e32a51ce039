/**
 * Finds out whether git would run hooks in a repository, and whether the repository has a remote on this host. Reads git's files; runs no
 * program.
 */
import { readdirSync } from 'node:fs';
import { hostname, networkInterfaces } from 'node:os';
import { join } from 'node:path';
import type { HookKind } from '../../core/effects/command-context.ts';
import { addressesOf } from '../../core/policy/host-address.ts';
import { kindOfPlace } from '../../platform/confinement.ts';
import { type GitPlace, gitPlaceOf } from './git-place.ts';
import { mayRunProjectCode, PROGRAM_KEY } from './git-programs.ts';
import {
  type GitSetting,
  gitSettingsFiles,
  gitSettingsIn,
  plainPaths,
  readGitSettings,
  unquoted,
} from './git-settings-files.ts';
import { placeOnDisk } from './place-on-disk.ts';

/** Hooks that git can start for a change of the index or of a ref, and for the `git gc --auto` after such a change, githooks(5). */
const RECORD_HOOKS: ReadonlySet<string> = new Set(['post-index-change', 'reference-transaction', 'pre-auto-gc']);

/**
 * Whether git possibly runs hooks of this kind in the directory. In doubt returns true, for example for a file that cannot be read. Outside
 * a repository, only `url` can be true.
 * - `any`:    all hooks. True if there is a `core.hooksPath`, or if `hooks` has a file (of any mode) that is not an example
 * - `record`: the hooks of RECORD_HOOKS. True if `hooks` or the directory of `core.hooksPath` has a file with the name of such a hook
 * - `remote`: the hooks that a push runs in another repository on this host. True if a remote is possibly on this host (`hasLocalRemote`)
 * - `refspec`, `upstream`, `url`: not about hooks. True if there possibly is a setting of this kind (`isKindOfSetting`), or if a directory
 *   of OLD_REMOTES has a file. `refspec` is also true if a setting lets a fetch delete refs (`prunesRefs`)
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
  const settings = readGitSettings(gitSettingsFiles(place, entries), entries.get('HOME') ?? '');
  if (settings === null) return true;
  if (which === 'refspec' || which === 'upstream' || which === 'url') {
    return (
      hasOldRemote(place) ||
      settings.texts.some(
        (text) =>
          text.split('\n').some((line) => isKindOfSetting(which, line)) ||
          (which === 'refspec' && gitSettingsIn(text).some(prunesRefs)),
      )
    );
  }
  if (place === null) return true;
  if (which === 'remote') return hasLocalRemote(place, settings.texts);
  // Since git 2.54 a section `hook` can name a command.
  if (settings.texts.some((text) => /\[\s*hook\b/i.test(text) || mayRunProjectCode(text))) return true;
  const named = hooksPaths(settings.texts, place.top, entries.get('HOME') ?? '');
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
};

/** Matches a key that chooses refs, and the key's value. The section's header may be on the same line. For git, no value means true. */
const REF_KEY = /(?:^|\])\s*(push|fetch|mirror|default)\s*(?:=(.*)|[#;].*)?$/is;
const UPSTREAM_KEY = /(?:^|\])\s*autosetupremote\s*(?:=(.*)|[#;].*)?$/is;
/**
 * The plain values of each key. With only plain values, a push that names refs writes only the named refs, and a fetch writes only
 * remote-tracking refs and tags besides the named refs.
 */
const PLAIN_REFS: Readonly<Record<string, RegExp>> = {
  default: /^(?:nothing|current|simple|matching)$/,
  fetch: /^(?:\^refs\/[\w./*-]+|\+?refs\/[\w./*-]+:refs\/remotes\/[\w./*-]+|\+?refs\/tags\/\*:refs\/tags\/\*)$/,
  mirror: /^false$/,
};

/**
 * Whether a line of settings possibly has a setting of this kind; in doubt true.
 * - `refspec`:  chooses the refs that a push or a fetch writes
 * - `upstream`: makes a push set the upstream of the branch
 * - `url`:      replaces URLs
 */
function isKindOfSetting(which: 'refspec' | 'upstream' | 'url', line: string): boolean {
  if (which === 'url') return PLACE_SECTION.test(line) || /bundleuri\s*=/i.test(line);
  if (which === 'upstream') {
    const found = UPSTREAM_KEY.exec(line);
    return found !== null && unquoted(found[1] ?? '') !== 'false';
  }
  const [isThereAny, key = '', value = ''] = REF_KEY.exec(line) ?? [];
  return isThereAny !== undefined && PLAIN_REFS[key.toLowerCase()]?.test(unquoted(value)) !== true;
}

/**
 * Whether the setting lets a fetch delete refs. `fetch.prune` does not count: a covered line has its own value for `fetch.prune`.
 * `remote.NAME.prune` does count: it takes precedence over the value in the line.
 */
const prunesRefs = ({ section, before, key, value }: GitSetting): boolean =>
  /^prune(?:tags)?$/i.test(key) && (section !== 'fetch' || before.trim() !== '') && unquoted(value) !== 'false';

/** Directories in which git also looks for remotes, gitrepository-layout(5). */
const OLD_REMOTES = ['remotes', 'branches'];
const hasOldRemote = (place: GitPlace | null): boolean =>
  place !== null && OLD_REMOTES.some((name) => hasName(join(place.common, name), () => true));

/** Whether a remote is possibly on this host. Also true if a remote is the repository itself (`.`), or if OLD_REMOTES has a file. */
function hasLocalRemote(place: GitPlace, texts: readonly string[]): boolean {
  if (hasOldRemote(place)) return true;
  return texts.flatMap((text) => text.split('\n')).some(mayNameLocal);
}

/**
 * The value of a PLACE_KEY is the URL or path of a repository. The value of a REMOTE_KEY is a URL, a path or the name
 * of a remote. The subsection of a section `url` is a URL or a path, git-config(1).
 */
const [PLACE_KEY, REMOTE_KEY] = [keyed('url'), keyed('remote|pushdefault')];
const PLACE_SECTION = /\[\s*url\b(.*)/i;
const PLACE_ELSEWHERE =
  /^(?:(?:https?|ssh|git):\/\/(?:[^/@"\\;#]*@)?(\[[^\]/]*\]|[^/:@"\\;#]+)(?::\d*)?(?:\/|$)|(?:[\w-]+@)?([\w.-]+):(?!:|\/\/))[^"\\;#]*$/i;
const REMOTE_NAME = /^[\w-][\w.-]*$/;

/**
 * Returns two patterns for keys with these endings. `some` matches each line that has such a key. `plain` matches such a line only in its
 * usual forms, and captures the value.
 */
function keyed(ends: string): { readonly some: RegExp; readonly plain: RegExp } {
  const key = `[\\w-]*(?:${ends})\\s*=`;
  return {
    some: new RegExp(key, 'i'),
    plain: new RegExp(`^\\s*(?:\\[[^\\]"]*(?:"[^\\]"\\\\]*")?\\s*\\])?\\s*${key}(.*)$`, 'is'),
  };
}

/** Whether a line of settings possibly names a repository on this host; in doubt true. */
function mayNameLocal(line: string): boolean {
  const textOf = ({ some, plain }: typeof PLACE_KEY): string | null =>
    some.test(line) ? unquoted(plain.exec(line)?.[1] ?? '') : null;
  const section = PLACE_SECTION.exec(line)?.[1];
  const places = [textOf(PLACE_KEY), section === undefined ? null : unquoted(section.replace(/\].*$/, ''))];
  const remote = textOf(REMOTE_KEY);
  return (
    places.some((place) => place !== null && !isElsewhere(place)) ||
    (remote !== null && !isElsewhere(remote) && !REMOTE_NAME.test(remote))
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
  if (/(?:^|\.)localhost(?:\.localdomain)?$|^ip6-(?:localhost|loopback)$|^127\.|^0\./.test(host)) return true;
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

/** Returns the directories that settings name as `core.hooksPath`; null if a value is not a plain path. */
function hooksPaths(texts: readonly string[], top: string, home: string): readonly string[] | null {
  const lines = texts.flatMap((text) => text.split('\n')).filter((line) => /hookspath/i.test(line));
  const named = lines.map((line) => /^\s*(?:\[\s*core\s*\])?\s*hookspath\s*=(.*)$/is.exec(line)?.[1] ?? '?');
  return plainPaths(named, top, home);
}

const isThere = (path: string): boolean => kindOfPlace(path) !== 'nothing';
