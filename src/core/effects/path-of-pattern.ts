/**
 * Finds the paths that a pattern may mean. The first path is the directory of the pattern, and includes everything below this directory
 * (`isExact` is false). Each match outside of this directory, and each sensitive match, is a further path.
 */

import { type Piece, type Spelling, writtenText } from '../reading/spelling.ts';
import { dangerousPlace } from '../sensitive/dangerous-places.ts';
import { sensitivityOf } from '../sensitive/sensitive-paths.ts';
import { type Component, hasGlob, type NamePattern, namePatternText, textOfComponent } from '../text/name-pattern.ts';
import { isAtOrBelow } from '../text/path.ts';
import { type MatchedName, normalizePath } from './command-context.ts';
import { ANYWHERE, isOfProcess, type KnownPath, type PathContext, pathOfText } from './known-path.ts';

/**
 * @property directory the text before the first component with a glob. The text ends with a slash, and is empty if the first component has
 *                     a glob. If the spelling has no glob: the whole text and a slash. `directory` never contains the home directory of
 *                     `~`: for `~/x*`, `directory` is `/`
 * @property pattern   the first component with a glob, and all later components; empty if the spelling has no glob
 */
export interface SplitSpelling {
  readonly directory: string;
  readonly pattern: NamePattern;
}

export function splitSpelling({ pieces }: Spelling): SplitSpelling {
  const components: Piece[][] = [[]];
  for (const piece of pieces) {
    if (piece.kind !== 'text') {
      components.at(-1)?.push(piece);
      continue;
    }
    for (const [at, value] of piece.value.split('/').entries()) {
      if (at > 0) components.push([]);
      if (value !== '') components.at(-1)?.push({ kind: 'text', value });
    }
  }
  const first = components.findIndex(hasGlob);
  const plain = first === -1 ? components : components.slice(0, first);
  const directory = plain.map((component) => `${textOfComponent(component)}/`).join('');
  return { directory, pattern: first === -1 ? [] : components.slice(first) };
}

/**
 * Returns every path that the spelling may mean; `ANYWHERE` if the paths are not known.
 * @param end `itself`: a link at the end of a path is not followed
 */
export function pathsOfSpelling(
  spelling: Spelling,
  context: PathContext,
  end: 'target' | 'itself',
): readonly KnownPath[] {
  if (spelling.isHome && context.home === null) return [ANYWHERE];
  const home = spelling.isHome ? context.home : '';
  const { directory, pattern } = splitSpelling(spelling);
  if (pattern.length === 0) return [pathOfText(home + writtenText(spelling), context, end)];
  // `..` leads to a directory that depends on the match before `..`.
  if (pattern.some((component) => !hasGlob(component) && /^\.{2}$/.test(textOfComponent(component)))) return [ANYWHERE];
  const base = pathOfText(home + directory === '' ? '.' : home + directory, context, 'target');
  const linked = context.earlier?.linked ?? [];
  if (!base.isExact || linked.some((area) => isAtOrBelow(area, base.value))) return [ANYWHERE];
  const below = { value: base.value, isExact: false };
  const written = pathOfText(home + writtenText(spelling), context, end);
  if (context.matchesOf === undefined)
    return [below, ...unknownMatches(pattern), ...notIncluded([written], base.value)];
  const found = context.matchesOf(base.value, pattern);
  if (found === null) return [ANYWHERE];
  const throughLinks = (match: MatchedName): string | null => (end === 'target' ? match.target : match.itself);
  // A link may lead on through other links, and an earlier command of the line may replace one of these other links.
  if (linked.length > 0 && found.some((match) => throughLinks(match) !== null)) return [ANYWHERE];
  const paths = found.map((match) => ({
    value: throughLinks(match) ?? normalizePath(`${base.value}/${match.name}`),
    isExact: true,
  }));
  if (paths.some(({ value }) => isOfProcess(value))) return [ANYWHERE];
  return [below, ...notIncluded([...paths, written], base.value)];
}

/** Returns those of `paths` to list in addition to `base`: paths outside of `base`, paths that are not exact, and sensitive paths. */
const notIncluded = (paths: readonly KnownPath[], base: string): readonly KnownPath[] =>
  paths.filter(({ value, isExact }) => !isExact || !isAtOrBelow(value, base) || isSensitive(value));

const isSensitive = (value: string): boolean =>
  dangerousPlace(value, false) !== null ||
  (['read', 'write'] as const).some((access) => sensitivityOf({ kind: 'path', access, value, isExact: true }) !== null);

/**
 * For the case that the names on the disk are not known. Returns `ANYWHERE` if the pattern may match a path outside of its directory;
 * else an empty list. A component with a glob may match `..` if this component begins with `.`. A `[` at the beginning counts as a `.`.
 */
const unknownMatches = (pattern: NamePattern): readonly KnownPath[] => (pattern.some(isHidden) ? [ANYWHERE] : []);
const isHidden = (component: Component): boolean =>
  hasGlob(component) && /^[.[]/.test(component[0]?.kind === 'text' ? component[0].value : namePatternText([component]));
