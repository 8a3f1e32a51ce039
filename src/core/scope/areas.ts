/** Makes the resource patterns of an offered scope. A pattern fits a resource of the line, and possibly resources around it. */

import type { Resource } from '../effects/permission.ts';
import { isAtOrBelow, isPlainPath, parentOf } from '../text/path.ts';
import type { ResourcePattern, ValuePattern } from './command-scope.ts';

/**
 * The root directory, its children and home directories. A scope for such a whole directory would cover too many projects.
 */
const TOO_WIDE = /^\/(?:[^/]*|(?:home|Users)\/[^/]*)$/;

/**
 * Whether a scope may be offered for this directory with everything below it. False for the directories of TOO_WIDE, for `home` and each
 * directory above it, and for a path that is not plain.
 * @param home the user's home directory; null: not known
 */
export const mayBeOffered = (directory: string, home: string | null): boolean =>
  isPlainPath(directory) && !TOO_WIDE.test(directory) && (home === null || !isAtOrBelow(home, directory));

/**
 * For reading, returns a pattern for all refs. For writing a ref such as `feat/returns`, returns a pattern for all refs with the same first
 * component (`feat/**`). In all other cases, returns the same as `sameResource`.
 */
function aroundRef(resource: Resource): ResourcePattern | null {
  const { kind, access, value, isExact } = resource;
  if (access === 'read') return { kind, access: [access], values: { match: 'any' } };
  const start = access === 'write' && isExact ? /^(?!refs\/)[\w.-]+\//.exec(value)?.[0] : undefined;
  return start === undefined
    ? sameResource(resource)
    : { kind, access: [access], values: { match: 'glob', value: `${start}**` } };
}

/** Kinds of resources that are not files. For reading, an offered scope can cover all resources of such a kind. */
const KINDS_READ_AS_A_WHOLE: ReadonlySet<string> = new Set(['container', 'service', 'package', 'process']);

/** Returns a pattern for reading all resources of this kind. Returns null for another access, or a kind not in KINDS_READ_AS_A_WHOLE. */
export const allOfKind = ({ kind, access }: Resource): ResourcePattern | null =>
  access === 'read' && KINDS_READ_AS_A_WHOLE.has(kind) ? { kind, access: [access], values: { match: 'any' } } : null;

/**
 * Returns a pattern for this resource only. If its value is not known exactly, the pattern fits every value that the resource can have.
 * Returns null if no pattern is certain to fit the resource.
 */
export function sameResource({ kind, access, value, isExact }: Resource): ResourcePattern | null {
  const values = sameValues(kind, value, isExact);
  return values === null ? null : { kind, access: [access], values };
}

function sameValues(kind: Resource['kind'], value: string, isExact: boolean): ValuePattern | null {
  if (isExact) return { match: 'exact', value };
  if (kind === 'path') return isPlainPath(value) ? { match: 'below', value } : null;
  if (value === '') return { match: 'any' };
  return value.includes('*') ? null : { match: 'glob', value: `${value}**` };
}

/**
 * Returns a pattern for the resource and what lies around it:
 * - a file that is executed: only this file
 * - a file or a directory in the project, if it is not deleted or executed: the whole project
 * - another file, or a file that is deleted: the directory of the file, if this directory is `/tmp` or `mayBeOffered`; else only the file
 * - another directory, or a directory that is deleted: this directory with everything below it
 * - a URL: all pages of its host
 * - a ref: the pattern that `aroundRef` returns
 * - a resource of another kind: only this resource
 * @param project the directory of the project, or the directory above the project (`wideProject`); null: the project may not be offered
 *                as a whole
 * @param home    the user's home directory; null: not known
 * @returns null if no pattern is certain to fit the resource
 */
export function aroundResource(
  resource: Resource,
  project: string | null,
  home: string | null,
): ResourcePattern | null {
  const { kind, access, value, isExact } = resource;
  if (kind === 'ref') return aroundRef(resource);
  if (kind === 'url') {
    const start = /^[a-z][a-z0-9+.-]*:\/\/[^/?#*]+\//.exec(value)?.[0];
    return start === undefined ? null : { kind, access: [access], values: { match: 'glob', value: `${start}**` } };
  }
  if (kind !== 'path' || access === 'execute' || !isPlainPath(value)) return sameResource(resource);
  if (access !== 'delete' && project !== null && isAtOrBelow(value, project))
    return { kind, access: [access], values: { match: 'below', value: project } };
  const around = isExact ? parentOf(value) : value;
  return mayBeOffered(around, home) || around === '/tmp'
    ? { kind, access: [access], values: { match: 'below', value: around } }
    : sameResource(resource);
}
