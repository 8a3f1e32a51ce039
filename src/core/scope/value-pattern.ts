/** Decides whether the value of a resource fits a pattern. */

import type { Resource, ResourceKind } from '../effects/permission.ts';
import { beginsWithDirectory, isPlainPath } from '../text/path.ts';
import type { ValuePattern } from './command-scope.ts';
import { type Glob, matchesGlob, readGlob } from './glob.ts';
import { isSharedSuffix } from './shared-suffixes.ts';

/** Returns whether a value fits the pattern; false if this is in doubt. */
export type ValueMatcher = (resource: Pick<Resource, 'value' | 'isExact'>) => boolean;

/** Returns null if the pattern is malformed, or if this kind of resource cannot have such a pattern. */
export function matcherOf(kind: ResourceKind, pattern: ValuePattern): ValueMatcher | null {
  switch (pattern.match) {
    case 'any':
      return () => true;
    case 'exact':
      return ({ value, isExact }) => isExact && value === pattern.value;
    case 'below':
      if (kind !== 'path' || !isPlainPath(pattern.value)) return null;
      return ({ value }) => beginsWithDirectory(value, pattern.value) && isPlainPath(value);
    case 'glob':
      if (kind === 'path') return null;
      return kind === 'url' ? urlMatcher(pattern.value) : textMatcher(kind, pattern.value);
  }
}

/** If only the beginning of the value is known, every possible value must fit. So the glob must end in `**`. */
const fits = (glob: Glob, value: string, isExact: boolean): boolean =>
  (isExact || glob.isOpen) && matchesGlob(glob, value);

/** In a host, `*` matches text inside one label. A `*` matches no dot, no `USER@` and no `:PORT`. */
function textMatcher(kind: ResourceKind, text: string): ValueMatcher | null {
  const glob = readGlob(text, kind === 'host' ? '/.@:' : '/');
  if (glob === null || (kind === 'host' && !isNamedHost(text))) return null;
  return ({ value, isExact }) => fits(glob, value, isExact);
}

/**
 * Whether one party owns all hosts that the glob matches. One party owns the hosts of `*.example.com`, but many parties own those of `*.com`
 * and `*.github.io`. False if one of the last two labels has a star.
 */
function isNamedHost(text: string): boolean {
  if (!text.includes('*')) return true;
  const [, suffix] = /\*[^.*]*\.((?:[a-z0-9][a-z0-9-]*\.)+[a-z0-9][a-z0-9-]*)(?::\d+)?$/.exec(text) ?? [];
  return suffix !== undefined && !isSharedSuffix(suffix);
}

const URL_PARTS = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]+)([/?#].*)$/s;

/**
 * Compares the scheme, the authority and the rest of a URL separately, so that no star matches across two of these parts. Ignores the
 * fragment, because no client sends a fragment.
 */
function urlMatcher(text: string): ValueMatcher | null {
  const [, scheme, authority = '', rest = ''] = URL_PARTS.exec(text) ?? [];
  const host = readGlob(authority, '/.@:');
  const path = readGlob(withoutFragment(rest), '/');
  if (scheme === undefined || host === null || path === null || !isNamedHost(authority)) return null;
  return ({ value, isExact }) => {
    const [, ownScheme, ownAuthority = '', ownRest = ''] = URL_PARTS.exec(value) ?? [];
    if (ownScheme !== scheme || !matchesGlob(host, ownAuthority)) return false;
    return rest === '/**' || (isExact && !mayClimb(ownRest) && matchesGlob(path, withoutFragment(ownRest)));
  };
}

const withoutFragment = (rest: string): string => rest.replace(/#.*$/s, '');

/** Whether the server possibly reads a path that differs from `rest`: clients resolve `..`, and servers decode `%2e`. */
const mayClimb = (rest: string): boolean => /\/\.{1,2}(?:[/?#;]|$)|%(?:2e|2f|5c)|\\/i.test(rest);
