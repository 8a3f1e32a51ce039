/**
 * Finds out whether a command possibly touches a forbidden resource. A resource that is not exact counts as more than one value:
 * - a path: the directory, and all that is below it
 * - a resource of another kind: every value that begins with `value`. But a host always counts as exact
 */

import type { Resource, ResourceKind } from '../effects/permission.ts';
import { beginsWithDirectory } from '../files/file-operation.ts';
import type { ResourcePattern, ValuePattern } from '../scope/command-scope.ts';
import { matchesStars, mayMatchStars, readStars } from '../scope/stars.ts';

/** Whether the pattern possibly matches the resource under one of the resource's names (`namesOf`). */
export const mayTouch = ({ kind, access, values }: ResourcePattern, resource: Resource): boolean =>
  access.includes(resource.access) && namesOf(kind, resource).some((name) => mayHave(kind, values, name));

function mayHave(kind: ResourceKind, values: ValuePattern, name: ResourceName): boolean {
  switch (values.match) {
    case 'any':
      return true;
    case 'exact':
      return mayBe(kind, values.value, name);
    case 'below':
      return (
        beginsWithDirectory(name.value, values.value) ||
        (!name.isExact && beginsWithDirectory(values.value, name.value))
      );
    case 'glob': {
      const stars = readStars(values.value);
      return name.isExact ? matchesStars(stars, name.value) : mayMatchStars(stars, name.value);
    }
  }
}

/** One of the names of a resource; if `isExact` is false, the name may go on after `value` (for a path, after a slash). */
export type ResourceName = Pick<Resource, 'value' | 'isExact'>;

function mayBe(kind: ResourceKind, wanted: string, { value, isExact }: ResourceName): boolean {
  if (value === wanted) return true;
  if (isExact) return false;
  return kind === 'path' ? beginsWithDirectory(wanted, value) : wanted.startsWith(value);
}

/** Returns the kinds of patterns that are tried on a resource: contact with a URL is also contact with the URL's host. */
export const kindsOf = ({ kind }: Resource): readonly ResourceKind[] => (kind === 'url' ? ['url', 'host'] : [kind]);

/** Returns the names under which the resource is compared with patterns of this kind; an empty list if it has another kind. */
export function namesOf(kind: ResourceKind, resource: Resource): readonly ResourceName[] {
  if (resource.kind === 'url' && kind === 'host') return hostsOf(authorityOf(resource.value));
  if (resource.kind !== kind) return [];
  if (kind === 'host') return hostsOf(resource.value);
  if (kind === 'url') return urlsOf(resource);
  // A path on another host, `(on web) /etc/x`, is also compared as `/etc/x`.
  if (kind !== 'path' || !resource.value.startsWith('(')) return [resource];
  return [resource, { ...resource, value: resource.value.replace(/^\(.*\) (?=\/)/s, '') }];
}

const authorityOf = (url: string): string => /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/.exec(url)?.[1] ?? '';

/**
 * Returns the host in up to four forms: as written; without `USER@`; without `USER@` and `:PORT`; without `USER@` and the dot at the end of
 * the name.
 */
function hostsOf(value: string): readonly ResourceName[] {
  const host = value.replace(/^.*@/, '');
  const names = [value, host, host.replace(/\.?:\d+$/, ''), host.replace(/\.$/, '')];
  return [...new Set(names)].map((each) => ({ value: each, isExact: true }));
}

/**
 * Returns the URL, and a second form that has neither the default port nor the dot at the end of the host. If a client or a server may read
 * another path from the URL than the written path, the list also has the URL up to its host, with any path.
 */
function urlsOf(resource: ResourceName): readonly ResourceName[] {
  const { value, isExact } = resource;
  const usual = value.replace(
    /^(http:\/\/[^/?#]*?)\.?(?::80)?(?=[/?#])|^(https:\/\/[^/?#]*?)\.?(?::443)?(?=[/?#])/,
    '$1$2',
  );
  const names = value === usual ? [resource] : [resource, { value: usual, isExact }];
  const mayClimb = /\/\.{1,2}(?:[/?#;]|$)|%[0-9a-f]{2}|\\/i.test(value);
  return mayClimb ? [...names, { value: /^[^/]*\/\/[^/]*\//.exec(usual)?.[0] ?? '', isExact: false }] : names;
}
