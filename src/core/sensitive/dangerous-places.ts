/**
 * Dangerous places: files there decide what runs later, or contain secrets. No scope by directory covers a dangerous place. An approver can
 * still approve an exact request, and the card says what the place is.
 */
import { type FileOperation, isReading } from '../files/file-operation.ts';
import { pathBelow } from '../text/path.ts';
import { sensitivityOfName } from './sensitive-paths.ts';
import {
  type DangerCode,
  foldedParts,
  isInPlace,
  PLACE_MATCHERS,
  type PlaceMatcher,
  withOriginal,
} from './sensitive-places.ts';

/** @property form whether `says` is a clause whose subject is the path, or a note about the path */
interface Danger {
  readonly form: 'clause' | 'note';
  readonly says: string;
}

const clause = (says: string): Danger => ({ form: 'clause', says });
const note = (says: string): Danger => ({ form: 'note', says });

/** Why each place is dangerous, in the words of the card. */
const DANGERS: Readonly<Record<DangerCode, Danger>> = {
  'own-installation': clause('belongs to ape-shell itself: its keys, its settings or its record'),
  'harness-settings': note('settings or hooks of an agent harness: they can switch the gate off'),
  'git-internals': note('git runs the hooks and the commands that are configured here'),
  'shell-start-up': note('a shell runs this by itself when it starts'),
  'program-start-up': note('a program runs or loads this by itself'),
  'login-keys': clause('decides who may log in, or holds keys'),
  credentials: clause('holds passwords, tokens or keys'),
  'program-directory': note('a program here can run instead of another program with the same name'),
  system: clause('belongs to the operating system'),
  'hard-linked': clause('is a hard link: the same file has another name, in a place that is not known'),
  'has-secrets-below': note('places with keys or credentials lie below it'),
  'names-secrets': note('the search reads files whose names suggest keys or passwords'),
  'holds-places': note('places that decide what runs, or that hold keys, can lie below it'),
  'other-place': note('the call has a member that ape-shell does not know, with which the tool may write elsewhere'),
  'whole-directory': clause('is a directory: everything in it is deleted or moved too, and none of it is shown'),
  link: clause('is a link, and a tool may act on the link itself or on its target'),
};

/** The reason for a code that this version does not know. The host may run a later version. */
const UNKNOWN_DANGER = clause('was marked as dangerous by its host');

/** The matchers of the dangerous places, with their codes. */
const DANGEROUS: readonly (PlaceMatcher & { readonly code: DangerCode })[] = PLACE_MATCHERS.flatMap((matcher) =>
  matcher.place.danger === null ? [] : [{ ...matcher, code: matcher.place.danger }],
);

/**
 * The usual text in place of the star, for some places with a star: `.emacs*` is usually `.emacs.d`. Only a path can be kept read-only,
 * not a pattern.
 */
const STARRED: Readonly<Record<string, string>> = {
  '.emacs*': '.d',
  '.cargo/config*': '.toml',
  '.cargo/credentials*': '.toml',
  '.m2/settings*': '.xml',
};

/**
 * Returns the code of the dangerous place that contains the path; null: no dangerous place contains the path.
 * @param path   absolute
 * @param isRead true: the path is only read, and only places with secrets count
 */
export function dangerousPlace(path: string, isRead: boolean): DangerCode | null {
  const named = foldedParts(path);
  const all = isRead ? withOriginal(named) : [named];
  const found = DANGEROUS.find((one) => (!isRead || one.place.isSecret) && all.some((parts) => isInPlace(one, parts)));
  return found?.code ?? null;
}

/**
 * Returns the code of a dangerous place below the directory (`/etc/ssh` is below `/etc`, `.config/gh` below any `.config`); null: no such
 * place is known. A relative place of one component (`.npmrc`) does not count, because such a place may be in any directory.
 * @param isRead see `dangerousPlace`
 */
export function placeWithin(directory: string, isRead: boolean): DangerCode | null {
  const parts = directory === '/' ? [] : foldedParts(directory);
  for (const { code, place: row, isAnchored, parts: place } of DANGEROUS) {
    if ((isRead && !row.isSecret) || (!isAnchored && place.length < 2)) continue;
    const lengths = isAnchored ? [parts.length] : place.slice(1).map((_, index) => index + 1);
    const fits = (length: number) =>
      length < place.length &&
      length <= parts.length &&
      place.slice(0, length).every((matches, index) => matches(parts[parts.length - length + index] ?? ''));
    if (lengths.some(fits)) return code;
  }
  return null;
}

/**
 * Returns the danger code of an operation that only an exact approval can cover; null: a scope may cover the operation. A code from the
 * host (`danger`) comes before the code of the path. This version possibly does not know the host's code.
 */
export const dangerOf = ({ verb, path, danger }: FileOperation): string | null =>
  danger ??
  dangerousPlace(path, isReading(verb)) ??
  (verb === 'write' ? null : secretByName(path)) ??
  placesBelow(verb, path);

/**
 * Returns a danger if two things are true: the operation writes or deletes the path, and dangerous places can lie below the path. Otherwise
 * returns null. The path is possibly a directory that a tool deletes or moves with everything in it.
 */
const placesBelow = (verb: FileOperation['verb'], path: string): DangerCode | null =>
  (verb === 'write' || verb === 'delete') && placeWithin(path, false) !== null ? 'holds-places' : null;

/**
 * Returns the danger of a file with the name of a secret (`.env`, `*.pem`); null: the file has another name. A scope can cover only a
 * `write` of such a file, because every other operation can make the content readable. An edit shows lines of the file. A `delete` can be
 * half of a move, and the move gives the content another name.
 */
const secretByName = (path: string): DangerCode | null =>
  sensitivityOfName(path, 'read') === null ? null : 'credentials';

const dangerOfCode = (code: string): Danger =>
  Object.hasOwn(DANGERS, code) ? DANGERS[code as DangerCode] : UNKNOWN_DANGER;

/** Returns the reason that the card shows: a clause or a note (`Danger.form`). An unknown code has a reason too. */
export const dangerReason = (code: string): string => dangerOfCode(code).says;

/** Returns the reason as a clause with a verb, for a sentence that begins with a path or "it". */
export function dangerClause(code: string): string {
  const { form, says } = dangerOfCode(code);
  return form === 'clause' ? says : `is a dangerous place (${says})`;
}

/**
 * Returns the paths of dangerous places in this directory (`DIR/.npmrc`, `DIR/.config/gh`), whether they exist or not. The path of the
 * directory may already end with the first components of a place: the list has `gh` for any `.config`, and `cron` for `/var/spool`. If a
 * command line may write into the directory, the confinement of the line usually keeps these paths read-only. The list leaves out:
 * - paths in a subdirectory (`DIR/a/.npmrc`)
 * - absolute places, if the directory is `/`
 * - places in a subdirectory `Library`
 * - places that are given as a regular expression for a file name (`HEAD`, in any directory)
 */
export function dangerousPlacesIn(directory: string): readonly string[] {
  const parts = directory === '/' ? [] : foldedParts(directory);
  const names = PLACES.flatMap(({ isAnchored, place, parts: wanted, names }) => {
    const first = isAnchored || place.parts[0] === 'Library' ? 1 : 0;
    const lengths = wanted.map((_, length) => length).filter((length) => length >= first);
    const inside = lengths.filter((length) => endsWithPlace(parts, wanted.slice(0, length), isAnchored));
    return inside.flatMap((length) => names.map((name) => name.slice(length).join('/')));
  });
  return [...new Set(names)].map((name) => pathBelow(directory, name));
}

/** Whether the directory ends with these first components of a place. An anchored place has no other components before them. */
const endsWithPlace = (directory: readonly string[], wanted: PlaceMatcher['parts'], isAnchored: boolean): boolean =>
  (isAnchored ? directory.length === wanted.length : directory.length >= wanted.length) &&
  wanted.every((matches, index) => matches(directory[directory.length - wanted.length + index] ?? ''));

/** The dangerous places that are given as components, each with its usual names: a name is a list of components without a star. */
const PLACES = DANGEROUS.filter(({ parts }) => parts.length > 0).map((matcher) => {
  const parts = matcher.place.parts.filter((part) => part !== '/');
  const name = parts.join('/');
  const bare = name.replace(/\*$/, '');
  const names = bare === name ? [name] : [bare, `${bare}${STARRED[name] ?? ''}`];
  return { ...matcher, names: names.map((each) => each.split('/')) };
});

/**
 * Returns the places with secrets in a home directory, so that the host can check whether a search would reach one of them. Leaves out
 * places with a star in the name.
 */
export const secretPlacesIn = (home: string): readonly string[] =>
  DANGEROUS.filter(
    ({ place, isAnchored }) => place.isSecret && !isAnchored && !place.parts.some((part) => part.includes('*')),
  ).map(({ place }) => pathBelow(home, place.parts.join('/')));
