/**
 * Places that no path prefix ever covers, because a file there decides what runs next, or because secrets lie there. An
 * exact request may still be approved: the card then says what the place is.
 */
import { type FileOperation, isReading } from '../files/file-operation.ts';
import { sensitivityOfName } from './sensitive-paths.ts';
import {
  type DangerCode,
  foldedParts,
  isInPlace,
  PLACE_MATCHERS,
  type PlaceMatcher,
  withOriginal,
} from './sensitive-places.ts';

/** @property says after the path; `clause` where it says what the path is or does, `note` where it says something else */
interface Danger {
  readonly form: 'clause' | 'note';
  readonly says: string;
}

const clause = (says: string): Danger => ({ form: 'clause', says });
const note = (says: string): Danger => ({ form: 'note', says });

/** Why, in the words of the card. */
const DANGERS: Readonly<Record<DangerCode, Danger>> = {
  'own-installation': clause('belongs to ape-shell itself: its keys, its settings or its record'),
  'harness-settings': note('settings or hooks of an agent harness: they can switch the gate off'),
  'git-internals': note('git runs the hooks and the commands that are configured here'),
  'shell-start-up': note('a shell runs this by itself when it starts'),
  'program-start-up': note('a program runs or loads this by itself'),
  'login-keys': clause('decides who may log in, or holds keys'),
  credentials: clause('holds passwords, tokens or keys'),
  'program-directory': note('programs here run in the place of others'),
  system: clause('belongs to the operating system'),
  'hard-linked': clause('is the same file under another name, and that place cannot be told'),
  'has-secrets-below': note('places with keys or credentials lie below it'),
};

/** What a host marks may be of a later version. */
const UNKNOWN_DANGER = clause('was marked as dangerous by its host');

/** The places that no prefix covers, with their code. */
const DANGEROUS: readonly (PlaceMatcher & { readonly code: DangerCode })[] = PLACE_MATCHERS.flatMap((matcher) =>
  matcher.place.danger === null ? [] : [{ ...matcher, code: matcher.place.danger }],
);

/** What stands for the star in practice: a file system is asked for names, not for patterns. */
const STARRED: Readonly<Record<string, string>> = {
  '.emacs*': '.d',
  '.cargo/config*': '.toml',
  '.cargo/credentials*': '.toml',
  '.m2/settings*': '.xml',
};

/** The code of the dangerous place this path is in, or null. `isRead`: only secrets count. */
export function dangerousPlace(path: string, isRead: boolean): DangerCode | null {
  const named = foldedParts(path);
  const all = isRead ? withOriginal(named) : [named];
  const found = DANGEROUS.find((one) => (!isRead || one.place.isSecret) && all.some((parts) => isInPlace(one, parts)));
  return found?.code ?? null;
}

/**
 * The code of a dangerous place whose own name begins with this directory's, or null: all of `/etc` holds `/etc/ssh`, all
 * of `.config` holds `.config/gh`. Places that may stand anywhere (`.npmrc`) are not looked for.
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

/** Why this operation must be approved exactly, or null: what the host marked, or what the path tells. */
export const dangerOf = (one: FileOperation): string | null =>
  one.danger ?? dangerousPlace(one.path, isReading(one.verb)) ?? (isReading(one.verb) ? secretByName(one.path) : null);

/** What a command may not read without a human either: `.env`, `*.pem`. */
const secretByName = (path: string): DangerCode | null =>
  sensitivityOfName(path, 'read') === null ? null : 'credentials';

const dangerOfCode = (code: string): Danger =>
  Object.hasOwn(DANGERS, code) ? DANGERS[code as DangerCode] : UNKNOWN_DANGER;

export const dangerReason = (code: string): string => dangerOfCode(code).says;

/** The same behind a path or "it", as a clause with a verb. */
export function dangerClause(code: string): string {
  const { form, says } = dangerOfCode(code);
  return form === 'clause' ? says : `is a dangerous place (${says})`;
}

/**
 * Where dangerous places would be in a directory, by the names that may stand anywhere: for keeping them read-only inside
 * what may be written. Those deeper down have other names, and are not among them.
 */
export const dangerousPlacesIn = (directory: string): readonly string[] =>
  INSIDE.map((name) => `${directory === '/' ? '' : directory}/${name}`);

const INSIDE: readonly string[] = DANGEROUS.map(({ place }) => place.parts)
  .filter(([first]) => first !== '/' && first !== 'Library')
  .flatMap((parts) => {
    const name = parts.join('/');
    return name.endsWith('*') ? [name.slice(0, -1), `${name.slice(0, -1)}${STARRED[name] ?? ''}`] : [name];
  });

/** Places with secrets below a home directory, for the host to see whether a search would walk through them. */
export const secretPlacesIn = (home: string): readonly string[] =>
  DANGEROUS.filter(
    ({ place, isAnchored }) => place.isSecret && !isAnchored && !place.parts.some((part) => part.includes('*')),
  ).map(({ place }) => `${home === '/' ? '' : home}/${place.parts.join('/')}`);
