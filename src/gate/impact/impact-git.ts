/** Finds what a git command would discard. Reads the work tree and git's own files, and runs no program. */

import { join as joinPath } from 'node:path';
import { type Fault, fault } from '../../core/fault.ts';
import { type IgnoreRules, ignores, readIgnoreRules } from '../../core/impact/ignore-rules.ts';
import { type Impact, impact } from '../../core/impact/impact.ts';
import type { Question, WantedRef } from '../../core/impact/question.ts';
import { failed, type Result, success } from '../../core/result.ts';
import { type GitIndex, type IndexEntry, readIndex } from '../facts/git-index.ts';
import {
  currentBranch,
  type GitPlace,
  gitPlaceOf,
  hasOtherRefs,
  isSha256,
  readBytes,
  readSmall,
  refsBelow,
  resolveRef,
} from '../facts/git-place.ts';
import { gitSettingsFiles, readGitSettings } from '../facts/git-settings-files.ts';
import { Tally } from './impact-files.ts';
import { entriesOf, expandPlaces, expandTargets, joinBelow, look, type Walk } from './impact-walk.ts';

type Of<Kind extends Question['kind']> = Extract<Question, { readonly kind: Kind }>;

const NO_REPOSITORY = 'there is no git repository, or it cannot be read without running git';

interface Opened {
  readonly place: GitPlace;
  readonly index: GitIndex;
}

function openIndex(directory: string): Result<Opened, Fault> {
  const place = gitPlaceOf(directory);
  if (place === null) return failed(fault(NO_REPOSITORY));
  const bytes = readBytes(joinPath(place.directory, 'index'));
  const index = bytes === null || isSha256(place) ? null : readIndex(bytes);
  return index === null
    ? failed(fault('the index cannot be read without running git, so the number of files is not known'))
    : success({ place, index });
}

// ---- untracked files ----

/** @property top the directory to which the rules are relative: its path below the top of the work tree, split into names */
interface RuleSource {
  readonly top: readonly string[];
  readonly rules: IgnoreRules;
}

interface Cleaning {
  readonly question: Of<'untracked'>;
  readonly environment: ReadonlyMap<string, string>;
  readonly place: GitPlace;
  readonly files: ReadonlySet<string>;
  readonly directories: ReadonlySet<string>;
  readonly walk: Walk;
  readonly tally: Tally;
}

/**
 * Counts the untracked files that the command would remove. Returns null if git refuses the command, because the command has no `-f`.
 * @param environment the environment with which git would run
 */
export async function lookAtUntracked(
  question: Of<'untracked'>,
  environment: ReadonlyMap<string, string>,
  walk: Walk,
): Promise<Impact | null> {
  if (question.force === 'not given' && isForceRequired(question.directory, environment)) return null;
  const opened = openIndex(question.directory);
  if (!opened.ok) return impact(question.what, { note: opened.failure.message });
  const { place, index } = opened.value;
  const files = new Set(index.entries.map(({ path }) => path));
  const directories = new Set<string>();
  for (const { path } of index.entries)
    for (let cut = path.lastIndexOf('/'); cut > 0; cut = path.lastIndexOf('/', cut - 1)) {
      if (directories.has(path.slice(0, cut))) break;
      directories.add(path.slice(0, cut));
    }
  const cleaning: Cleaning = { question, environment, place, files, directories, walk, tally: new Tally() };
  const isNamed = question.targets.length > 0;
  const places = isNamed
    ? await expandPlaces(question.targets, walk)
    : [{ path: question.directory, isThrough: false }];
  for (const { path, isThrough } of places)
    if (!isThrough || look(path, walk)?.isDirectory() === true) await cleanTarget(path, isNamed, cleaning); // git follows no link
  return cleaning.tally.toImpact(question.what, walk, [
    question.isPartial && 'excluded files stay',
    question.force !== 'given' && 'git may refuse this without -f',
    question.ignored !== 'too' &&
      (question.setsExcludes || mayHaveSetting(place, environment, 'core', 'excludesfile')) &&
      `core.excludesFile is not read: there may be ${question.ignored === 'only' ? 'more' : 'fewer'}`,
  ]);
}

/** Whether it is certain that no setting mentions `clean.requireForce`; its default is true. */
const isForceRequired = (directory: string, environment: ReadonlyMap<string, string>): boolean =>
  !mayHaveSetting(gitPlaceOf(directory), environment, 'clean', 'requireforce');

/** Whether one of git's settings may have this name, in lower case. Also true if a file with settings cannot be read. */
function mayHaveSetting(
  place: GitPlace | null,
  environment: ReadonlyMap<string, string>,
  section: string,
  key: string,
): boolean {
  if ([...environment.keys()].some((name) => /^GIT_CONFIG_(?:COUNT|PARAMETERS|KEY_)/.test(name))) return true;
  const found = readGitSettings(gitSettingsFiles(place, environment), environment.get('HOME') ?? '');
  return found?.settings.every((one) => one.section !== section || one.key !== key) !== true;
}

async function cleanTarget(target: string, isNamed: boolean, cleaning: Cleaning): Promise<void> {
  const { place, environment, walk } = cleaning;
  const below = namesBelow(place.top, target);
  if (below === null || below[0] === '.git') return;
  const sources = rulesAbove(place, environment, below);
  const stats = look(target, walk);
  const isDirectory = (at: number) => at < below.length - 1 || stats?.isDirectory() === true;
  const isIgnored = below.some((_, at) => isIgnoredBy(sources, below.slice(0, at + 1), isDirectory(at)));
  const isRepository = below.length > 0 && look(joinBelow(target, '.git'), walk) !== null;
  if (isRepository && !cleaning.question.includesRepositories) return;
  if (stats?.isDirectory() === true) await cleanDirectory(below, sources, isIgnored, isNamed, cleaning);
  else if (stats !== null && !cleaning.files.has(below.join('/')) && isTaken(isIgnored, cleaning.question))
    cleaning.tally.add(target, stats);
}

/** @param isNamed whether an operand names the directory or a directory above it; git cleans such a directory even without `-d` */
async function cleanDirectory(
  names: readonly string[],
  above: readonly RuleSource[],
  isIgnored: boolean,
  isNamed: boolean,
  cleaning: Cleaning,
): Promise<void> {
  const { question, place, files, directories, walk, tally } = cleaning;
  const directory = [place.top, ...names].join('/');
  const own = readSmall(joinPath(directory, '.gitignore'), false);
  const sources = own === null ? above : [...above, { top: names, rules: readIgnoreRules(own) }];
  for await (const entry of entriesOf(directory, walk)) {
    const below = [...names, entry.name];
    const path = below.join('/');
    if (entry.name === '.git' || files.has(path)) continue;
    const full = joinBelow(directory, entry.name);
    const isIgnoredHere = isIgnored || isIgnoredBy(sources, below, entry.isDirectory());
    if (!entry.isDirectory()) {
      if (isTaken(isIgnoredHere, question)) tally.add(full, look(full, walk));
      continue;
    }
    const isKnown = directories.has(path);
    if (!isKnown && !question.includesDirectories && !isNamed) {
      if (question.ignored !== 'only' || isIgnoredHere) continue;
      walk.notes.add('directories with nothing but ignored files stay: there may be fewer');
    }
    if (!isKnown && !question.includesRepositories && look(joinBelow(full, '.git'), walk) !== null) continue;
    if (isIgnoredHere && question.ignored === 'kept' && !isKnown) continue;
    await cleanDirectory(below, sources, isIgnoredHere, isNamed, cleaning);
    if (walk.isCut) return;
  }
}

const isTaken = (isIgnored: boolean, { ignored }: Of<'untracked'>): boolean =>
  ignored === 'too' || (ignored === 'only') === isIgnored;

/** Of all ignore files with a matching rule, the file in the deepest directory decides. */
function isIgnoredBy(sources: readonly RuleSource[], names: readonly string[], isDirectory: boolean): boolean {
  for (let at = sources.length - 1; at >= 0; at--) {
    const source = sources[at];
    // The rules of a directory say nothing about the directory itself.
    if (source === undefined || source.top.length >= names.length) continue;
    const said = ignores(source.rules, names.slice(source.top.length), isDirectory);
    if (said !== null) return said;
  }
  return false;
}

function rulesAbove(
  place: GitPlace,
  environment: ReadonlyMap<string, string>,
  names: readonly string[],
): readonly RuleSource[] {
  const home = environment.get('HOME') ?? '';
  const settings = environment.get('XDG_CONFIG_HOME') || (home === '' ? null : joinPath(home, '.config'));
  const files: (readonly [readonly string[], string])[] = [
    ...(settings === null ? [] : [[[], joinPath(settings, 'git/ignore')] as const]),
    [[], joinPath(place.common, 'info/exclude')],
    // The directory's own `.gitignore` is read when the directory is walked.
    ...names.map((_, at) => [names.slice(0, at), joinPath(place.top, ...names.slice(0, at), '.gitignore')] as const),
  ];
  return files.flatMap(([top, path]) => {
    const text = readSmall(path);
    return text === null ? [] : [{ top, rules: readIgnoreRules(text) }];
  });
}

function namesBelow(top: string, path: string): readonly string[] | null {
  if (path === top) return [];
  return path.startsWith(`${top}/`) ? path.slice(top.length + 1).split('/') : null;
}

// ---- uncommitted changes ----

/** Counts the tracked files with changes that the command would discard. */
export async function lookAtUnsaved(question: Of<'unsaved'>, walk: Walk): Promise<Impact> {
  const { what, moves } = question;
  const opened = openIndex(question.directory);
  if (!opened.ok) return impact(what, { note: opened.failure.message });
  const { place, index } = opened.value;
  const tally = new Tally();
  const places = (await expandTargets(question.targets, walk)).map((path) => namesBelow(place.top, path)?.join('/'));
  for (const entry of index.entries) {
    if (entry.isKept || (entry.mode & 0o170000) === GITLINK) continue;
    if (places.length > 0 && !places.some((each) => isAtOrBelow(entry.path, each))) continue;
    if (!(await walk.limit.more())) {
      walk.isCut = true;
      break;
    }
    const path = joinBelow(place.top, entry.path);
    const stats = look(path, walk);
    if (entry.stage === 0 && stats !== null && !isChanged(entry, stats)) continue;
    tally.add(path, stats);
  }
  return tally.toImpact(what, walk, [
    'compared by size and time with the index',
    index.mayBeStaged === true &&
      question.targets.length === 0 &&
      'staged changes may be lost too, and are not counted',
    moves !== null && moveText(place, moves),
  ]);
}

const GITLINK = 0o160000;

const isAtOrBelow = (path: string, place: string | undefined): boolean =>
  place !== undefined && (place === '' || path === place || path.startsWith(`${place}/`));

function isChanged(entry: IndexEntry, stats: NonNullable<ReturnType<typeof look>>): boolean {
  const isLink = (entry.mode & 0o170000) === 0o120000;
  if (isLink !== stats.isSymbolicLink() || (!isLink && !stats.isFile())) return true;
  if (stats.size % 2 ** 32 !== entry.size) return true;
  // Only seconds are compared, because some file systems keep no nanoseconds, and Node rounds milliseconds.
  const mtimeS = Math.floor(stats.mtimeMs / 1_000);
  return mtimeS !== entry.mtimeS && !(entry.mtimeS === 0 && entry.mtimeNs === 0);
}

function moveText(place: GitPlace, name: string): string {
  const branch = (hasOtherRefs(place) ? null : currentBranch(place)) ?? 'HEAD';
  const from = resolveRef(place, 'HEAD');
  const to = resolveRef(place, name);
  if (from !== null && from === to) return `${branch} stays at ${short(from)}`;
  const target = to === null ? name : `${name} (${short(to)})`;
  return `${branch} moves from ${short(from)} to ${target}; how many commits that drops is not known without running git`;
}

const short = (id: string | null): string => id?.slice(0, 8) ?? 'nothing';

// ---- refs ----

/** Lists the refs that the command would move or delete, in this repository or on the remote. */
export function lookAtRefs(question: Of<'refs'>): Impact {
  const { what, remote } = question;
  const place = gitPlaceOf(question.directory);
  if (place === null || hasOtherRefs(place)) return impact(what, { note: NO_REPOSITORY });
  const branch = currentBranch(place);
  if (question.refs === 'current' && branch === null)
    return impact(what, { note: 'no branch is checked out: what is pushed is not known' });
  const wanted: readonly WantedRef[] =
    question.refs === 'current'
      ? [{ source: branch, target: branch ?? '' }]
      : question.refs === 'all'
        ? refsBelow(place, `refs/remotes/${remote}/`).map((name) => ({ source: name, target: name }))
        : question.refs;
  const items = wanted.map((ref) => refText(place, remote, ref, branch));
  const notes = [
    ...(question.refs === 'current' ? ['the current branch, where the settings do not say otherwise'] : []),
    ...(remote === null
      ? []
      : ['as they were when last fetched', 'how many commits get lost is not known without running git']),
  ];
  return impact(what, { count: wanted.length, items, note: notes.length === 0 ? null : notes.join('; ') });
}

function refText(place: GitPlace, remote: string | null, ref: WantedRef, branch: string | null): string {
  const name = ref.target === 'HEAD' ? (branch ?? 'HEAD') : ref.target.replace(/^refs\/heads\//, '');
  const there = resolveRef(place, remote === null ? ref.target : `refs/remotes/${remote}/${name}`);
  const shown = remote === null ? name.replace(/^refs\/tags\//, '') : name;
  const from = there === null ? 'not known' : short(there);
  if (ref.source === null) return `${shown}: ${from} → deleted`;
  const here = resolveRef(place, ref.source);
  if (here !== null && here === there) return `${shown}: ${from}, the same as here`;
  return `${shown}: ${from} → ${here === null ? ref.source : short(here)}`;
}

/** Counts the stashes that the command would remove. */
export function lookAtStashes({ what, directory, isAll }: Of<'stashes'>): Impact {
  const place = gitPlaceOf(directory);
  if (place === null) return impact(what, { note: NO_REPOSITORY });
  const lines = (readSmall(joinPath(place.common, 'logs/refs/stash')) ?? '').split('\n').filter((line) => line !== '');
  const count = isAll ? lines.length : Math.min(1, lines.length);
  const items = isAll ? lines.toReversed().map((line) => (line.split('\t')[1] ?? '').slice(0, 100)) : [];
  return impact(what, { count, items, note: isAll ? null : `of ${lines.length}` });
}
