/**
 * Searches a project and the directories above the project for files that can make a harness run something without our hook. The harness's
 * table (`project-places.ts`) names such files. Whatever cannot be examined, such as a link, a folder that cannot be listed or a very large
 * file, is a finding.
 */
import { accessSync, constants, type Dirent, readdirSync, readFileSync, realpathSync, type Stats } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { folded as foldedCase } from '../core/sensitive/sensitive-places.ts';
import { beginsWithDirectory } from '../core/text/path.ts';
import { visibleLine } from '../core/text/visible-text.ts';
import { statsOf } from '../platform/stats-of.ts';
import type { ReadToml } from '../platform/toml.ts';
import type { HarnessInstallation } from './harness-installation.ts';
import type { HookPlaces } from './hook-file.ts';
import type { PlaceRow, ProjectPlaces } from './project-places.ts';

/**
 * A path of a row. The search matches the path segment by segment while it descends.
 * @property row    null: for all files in a folder of the harness
 * @property rest   the segments that are not matched yet; empty: the path fits
 * @property isOpen whether the path has no `*`, or ends with `**`
 */
interface Candidate {
  readonly row: PlaceRow | null;
  readonly rest: readonly string[];
  readonly isOpen: boolean;
}

/** The texts that `apes hooks install --project` writes in one directory; the key is the path of the file. */
type OwnTexts = ReadonlyMap<string, string>;

/** Returns one line for each finding: the file, what the file can do, and what the user has to do. */
export async function findInProject(
  title: string,
  { plan, scopes, projectPlaces }: Pick<HarnessInstallation, 'plan' | 'scopes' | 'projectPlaces'>,
  places: HookPlaces,
  readToml: ReadToml,
): Promise<readonly string[]> {
  const all = candidatesOf(projectPlaces);
  const inFolders = all.filter(({ rest }) => projectPlaces.folders.some((folder) => folder === rest[0]));
  const below = projectPlaces.isNested === true ? directoriesBelow(places, projectPlaces.folders) : NOTHING_BELOW;
  const search = new Search(places, readToml);
  const looks = [
    ...projectFolders(places).map((directory) => [directory, all] as const),
    ...below.directories.map((directory) => [directory, inFolders] as const),
  ];
  for (const [directory, candidates] of looks) {
    const here = { ...places, scope: 'project', project: directory } as const;
    search.look(directory, candidates, scopes.includes('project') ? textsOf(await plan(here)) : new Map());
  }
  return [...search.lines(), ...below.unseen].map(
    (line) => `${visibleLine(line)}; read it before you start ${title} here`,
  );
}

/** The candidates of the rows come first. Then each folder of the harness is a candidate, for the files in the folder that fit no row. */
const candidatesOf = ({ rows, folders }: ProjectPlaces): readonly Candidate[] => [
  ...rows.flatMap((row) => row.paths.map((path) => candidateOf(row, path))),
  ...folders.map((folder) => candidateOf(null, `${folder}/**`)),
];

const candidateOf = (row: PlaceRow | null, path: string): Candidate => ({
  row,
  rest: path.split('/'),
  isOpen: !path.includes('*') || path.endsWith('/**'),
});

const textsOf = ({ files }: Awaited<ReturnType<HarnessInstallation['plan']>>): OwnTexts =>
  new Map(
    files.flatMap(({ path, apply }) => {
      const text = apply(null);
      return text.ok ? [[path, text.value] as const] : [];
    }),
  );

const MAX_EXAMINED = 10_000;
const MAX_LINES = 100;
const MAX_BYTES = 256_000;

class Search {
  readonly #places: HookPlaces;
  readonly #readToml: ReadToml;
  readonly #found: string[] = [];
  #examined = 0;

  constructor(places: HookPlaces, readToml: ReadToml) {
    this.#places = places;
    this.#readToml = readToml;
  }

  lines(): readonly string[] {
    const more = this.#found.length - MAX_LINES;
    return more > 0 ? [...this.#found.slice(0, MAX_LINES), `and ${more} more files like these`] : this.#found;
  }

  look(at: string, candidates: readonly Candidate[], own: OwnTexts): void {
    const heads = candidates.map(({ rest }) => rest[0] ?? '');
    const names = heads.some((head) => head.includes('*')) ? this.#list(at) : [...new Set(heads)];
    for (const name of names) {
      if (this.#examined > MAX_EXAMINED) return;
      this.#entry(
        join(at, name),
        candidates.flatMap((candidate) => stepInto(candidate, name)),
        own,
      );
    }
  }

  /** A missing folder has no names. A folder that cannot be listed is a finding: a harness can open files in such a folder by name. */
  #list(folder: string): readonly string[] {
    try {
      return readdirSync(folder).sort();
    } catch (error) {
      if (!isMissing(error)) this.#found.push(`${folder}: this check cannot list it`);
      return [];
    }
  }

  #entry(path: string, candidates: readonly Candidate[], own: OwnTexts): void {
    const stats = candidates.length === 0 ? null : statsOf(path);
    if (stats === null) return;
    this.#examined += 1;
    if (this.#examined > MAX_EXAMINED) {
      this.#found.push(`${dirname(path)}: there are more than ${MAX_EXAMINED} files, so not all of them were examined`);
      return;
    }
    const isFolder = stats.isDirectory();
    const decides = candidates.find(
      (each) => each.rest.length === 0 && doesFit(each, stats) && !(isFolder && hasEarlier(candidates, each)),
    );
    const leadsToOwn = isFolder && [...own.keys()].some((each) => each.startsWith(`${path}/`));
    if (decides === undefined || (leadsToOwn && decides.row?.kind !== 'harmless')) {
      if (isFolder)
        this.look(
          path,
          candidates.filter(({ rest }) => rest.length > 0),
          own,
        );
      else if (stats.isSymbolicLink()) this.#found.push(`${path}: ${LINK}`);
      return;
    }
    if (stats.isFile() && own.has(path) && textAt(path, stats)?.text === own.get(path)) return;
    this.#found.push(...this.#phrases(path, stats, decides.row).map((phrase) => `${path}: ${phrase}`));
  }

  #phrases(path: string, stats: Stats, row: PlaceRow | null): readonly string[] {
    if (row === null) return [stats.isSymbolicLink() ? LINK : UNKNOWN];
    if (row.kind === 'harmless') return [];
    if (row.kind === 'reported') return [row.can];
    if (row.isClosedByManaged === true && this.#places.scope === 'managed') return [];
    const { text, fault } = textAt(path, stats);
    return text === null ? [fault] : row.examine(text, { places: this.#places, readToml: this.#readToml });
  }
}

const LINK = 'it is a link, which this check does not follow';
const UNKNOWN = 'this check does not know what it does; it may run programs past the gate';

/** Whether an earlier candidate may fit something in the folder. If true, a later row does not decide about the folder. */
const hasEarlier = (candidates: readonly Candidate[], decides: Candidate): boolean =>
  candidates.slice(0, candidates.indexOf(decides)).some(({ rest }) => rest.length > 0);

function doesFit({ row, isOpen }: Candidate, stats: Stats): boolean {
  if (row === null || row.kind === 'reported') return true;
  if (row.kind === 'harmless') return isOpen || stats.isFile();
  return !stats.isDirectory() && !stats.isSymbolicLink();
}

/** Matches `name` with the next segment. Returns candidates with the remaining segments. `**` matches zero or more folders. */
function stepInto(candidate: Candidate, name: string): readonly Candidate[] {
  const [head, ...rest] = candidate.rest;
  if (head === undefined) return [];
  if (head !== '**') return fits(head, name, candidate.row) ? [{ ...candidate, rest }] : [];
  return rest.length === 0
    ? [{ ...candidate, rest }, candidate]
    : [...stepInto({ ...candidate, rest }, name), candidate];
}

/**
 * Some file systems ignore case (`SKILL.MD` for `SKILL.md`), so this comparison ignores case, too. But a file that fits a harmless row is
 * not reported. Therefore a harmless row needs the exact name.
 */
const fits = (form: string, name: string, row: PlaceRow | null): boolean =>
  row?.kind === 'harmless' ? hasForm(form, name) : hasForm(folded(form), folded(name));

/**
 * Folds case and Unicode form, and removes invisible characters. File systems of macOS ignore case, Unicode form and invisible characters
 * of names.
 */
const folded = (name: string): string => foldedCase(name).replace(/\p{Default_Ignorable_Code_Point}/gu, '');

function hasForm(form: string, name: string): boolean {
  const [start = '', ...others] = form.split('*');
  const end = others.pop();
  if (end === undefined) return form === name;
  return name.length >= start.length + end.length && name.startsWith(start) && name.endsWith(end);
}

type Text = { readonly text: string; readonly fault: '' } | { readonly text: null; readonly fault: string };

/**
 * Reads only a regular file, because the check must not wait for a pipe. A text that is not UTF-8 is a fault, because the harness may read
 * it in another way.
 */
function textAt(path: string, stats: Stats): Text {
  if (!stats.isFile()) return { text: null, fault: 'it is no regular file' };
  if (stats.size > MAX_BYTES)
    return { text: null, fault: `it has more than ${MAX_BYTES} bytes, so this check does not examine it` };
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(readFileSync(path));
    return { text, fault: '' };
  } catch {
    return { text: null, fault: 'this check cannot read it as UTF-8' };
  }
}

const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');

/**
 * Returns the project and the directories above the project, the nearest first. Adds the main worktree directly after each linked worktree
 * of git: some harnesses read the settings of both. Leaves out the home directory: the files there are the user's own.
 */
function projectFolders({ project, home }: HookPlaces): readonly string[] {
  const found: string[] = [];
  for (let at = project; ; at = dirname(at)) {
    found.push(at, ...mainWorktree(at));
    if (at === dirname(at)) return [...new Set(found)].filter((each) => each !== home);
  }
}

function mainWorktree(directory: string): readonly string[] {
  const [, named] = /^gitdir: (.+)/.exec(gitText(join(directory, '.git'))) ?? [];
  if (named === undefined) return [];
  const folder = resolve(directory, named.trim());
  const common = resolve(folder, gitText(join(folder, 'commondir')).trim());
  return basename(common) === '.git' ? [dirname(common)] : [];
}

function gitText(path: string): string {
  const stats = statsOf(path);
  return (stats === null ? null : textAt(path, stats).text) ?? '';
}

/** @property unseen one line for each directory that this check did not search completely */
interface Below {
  readonly directories: readonly string[];
  readonly unseen: readonly string[];
}

const NOTHING_BELOW: Below = { directories: [], unseen: [] };
const MAX_BELOW = 1_000_000;

/**
 * Returns the directories below the project that have a folder of the harness. Follows links that lead out of the project. If a directory
 * cannot be listed, tries the names of the harness's folders. If this user may enter such a directory, also reports the directory, because
 * a harness can open its files by name. Returns nothing if the project is or contains the home directory, because most files below a home
 * directory belong to no project.
 */
function directoriesBelow({ project, home }: HookPlaces, folders: readonly string[]): Below {
  if (beginsWithDirectory(home, project)) return NOTHING_BELOW;
  const names = folders.map(folded);
  const directories = new Set<string>();
  const unseen: string[] = [];
  const realProject = realPathOf(project) ?? project;
  const outside = new Set<string>();
  const waiting = [project];
  let count = 0;
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    const entries = entriesOf(at);
    if (entries === null && folders.some((folder) => statsOf(join(at, folder)) !== null)) directories.add(at);
    if (entries === null && canBeEntered(at)) unseen.push(`${at}: this check cannot list it`);
    for (const entry of entries ?? []) {
      count += 1;
      if (count > MAX_BELOW) {
        unseen.push(`${project}: it has more than ${MAX_BELOW} files, so not every folder in it was found`);
        return { directories: [...directories], unseen };
      }
      const path = join(at, entry.name);
      if (names.includes(folded(entry.name)) && at !== project) directories.add(at);
      if (entry.isDirectory()) waiting.push(path);
      if (!entry.isSymbolicLink()) continue;
      if (folders.some((folder) => statsOf(join(path, folder)) !== null)) directories.add(path);
      const real = realPathOf(path);
      if (real === null || beginsWithDirectory(real, realProject) || outside.has(real)) continue;
      outside.add(real);
      if (!beginsWithDirectory(home, real) && !beginsWithDirectory(realProject, real)) waiting.push(path);
      else unseen.push(`${path}: it leads out of the project, and this check does not look at all that is there`);
    }
  }
  return { directories: [...directories].sort(), unseen };
}

/** Whether this user may be able to open files in the directory. False: the directory is missing, or this user may not enter it. */
function canBeEntered(directory: string): boolean {
  try {
    accessSync(directory, constants.X_OK);
    return true;
  } catch (error) {
    const isClosed = error instanceof Error && 'code' in error && error.code === 'EACCES';
    return !isClosed && !isMissing(error);
  }
}

function realPathOf(path: string): string | null {
  try {
    return realpathSync.native(path);
  } catch {
    return null;
  }
}

/** Returns null for a directory that cannot be listed. */
function entriesOf(folder: string): readonly Dirent[] | null {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return null;
  }
}
