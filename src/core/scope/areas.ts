/** How far an offered scope reaches around the resources of a line. */

import type { Resource } from '../effects/permission.ts';
import { isAtOrBelow, isPlainPath } from '../files/file-operation.ts';
import type { ResourcePattern, ValuePattern } from './command-scope.ts';

/** Where so many projects lie that a scope should not begin there by itself. */
const TOO_WIDE = /^\/(?:[^/]*|(?:home|Users)\/[^/]*)$/;

/** A directory that a scope is offered below: never a child of the root directory, never a home directory. */
export const mayBeOffered = (directory: string, home: string | null): boolean =>
  isPlainPath(directory) && !TOO_WIDE.test(directory) && (home === null || !isAtOrBelow(home, directory));

const parentOf = (path: string): string => path.slice(0, Math.max(1, path.lastIndexOf('/')));

/** Any ref to read; of a branch that is written those of the same kind: `feat/**` for `feat/returns`. */
function aroundRef(resource: Resource): ResourcePattern | null {
  const { kind, access, value, isExact } = resource;
  if (access === 'read') return { kind, access: [access], values: { match: 'any' } };
  const start = access === 'write' && isExact ? /^(?!refs\/)[\w.-]+\//.exec(value)?.[0] : undefined;
  return start === undefined
    ? sameResource(resource)
    : { kind, access: [access], values: { match: 'glob', value: `${start}**` } };
}

/** Any of these may be read where one may: none is a file. */
const LISTED: ReadonlySet<string> = new Set(['container', 'service', 'package', 'process']);
export const anyListed = ({ kind, access }: Resource): ResourcePattern | null =>
  access === 'read' && LISTED.has(kind) ? { kind, access: [access], values: { match: 'any' } } : null;

/** The resource itself, and nothing wider than is known of it. Null: no pattern is certain to hold it. */
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
 * The resource with what lies around it: files in the project with the whole project, the same host with all its pages.
 * What is deleted or executed stays what it is, or its directory.
 * @param project the directory that files are offered below; null: none
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
