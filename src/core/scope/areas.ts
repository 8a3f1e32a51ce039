/** How far an offered scope reaches around the resources of a line. */

import type { Resource } from '../effects/permission.ts';
import { isAtOrBelow, isPlainPath } from '../files/file-operation.ts';
import type { ResourcePattern, ValuePattern } from './command-scope.ts';

/**
 * The root directory, its children and home directories. Each contains too many projects, so no scope is offered for all of it.
 */
const TOO_WIDE = /^\/(?:[^/]*|(?:home|Users)\/[^/]*)$/;

/**
 * Whether a scope may be offered for this directory with everything below it. False for the root directory, its children, home
 * directories, and each directory that contains `home`.
 * @param home the user's home directory; null: not known
 */
export const mayBeOffered = (directory: string, home: string | null): boolean =>
  isPlainPath(directory) && !TOO_WIDE.test(directory) && (home === null || !isAtOrBelow(home, directory));

const parentOf = (path: string): string => path.slice(0, Math.max(1, path.lastIndexOf('/')));

/** For reading: a pattern for any ref. For writing: a pattern for the refs with the same first component, `feat/**` for `feat/returns`. */
function aroundRef(resource: Resource): ResourcePattern | null {
  const { kind, access, value, isExact } = resource;
  if (access === 'read') return { kind, access: [access], values: { match: 'any' } };
  const start = access === 'write' && isExact ? /^(?!refs\/)[\w.-]+\//.exec(value)?.[0] : undefined;
  return start === undefined
    ? sameResource(resource)
    : { kind, access: [access], values: { match: 'glob', value: `${start}**` } };
}

/** Kinds of resources other than files. A scope that lets a command read one resource of such a kind lets it read all of them. */
const LISTED: ReadonlySet<string> = new Set(['container', 'service', 'package', 'process']);
export const anyListed = ({ kind, access }: Resource): ResourcePattern | null =>
  access === 'read' && LISTED.has(kind) ? { kind, access: [access], values: { match: 'any' } } : null;

/**
 * Returns a pattern for this resource only. If its value is not known exactly, the pattern fits every value that it may have.
 * Returns null if no pattern is certain to fit.
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
 * Returns a pattern for the resource and what lies around it: the whole project for a file in it, all pages of a URL's host.
 * For a file that is deleted, the pattern reaches at most the file's directory; for one that is executed, only the file.
 * @param project the directory below which files are offered; null: there is no such directory
 * @param home    the user's home directory; null: not known
 * @returns null: no pattern is certain to fit the resource
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
