/** Whether a command may touch what a rule forbids: where only the beginning of a value is known, what may follow counts. */
import { isAtOrBelow } from '../file-operation.ts';
import type { Resource, ResourceKind } from '../permission/permission.ts';
import type { ResourcePattern, ValuePattern } from './command-scope.ts';
import { matchesStars, mayMatchStars, readStars } from './stars.ts';

/** Which of the resource's names are looked at: a URL is contact with its host, and a path on another host is a path. */
export const mayTouch = ({ kind, access, values }: ResourcePattern, resource: Resource): boolean =>
  access.includes(resource.access) && namesOf(kind, resource).some((name) => mayHave(kind, values, name));

function mayHave(kind: ResourceKind, values: ValuePattern, name: Name): boolean {
  switch (values.match) {
    case 'any':
      return true;
    case 'exact':
      return mayBe(kind, values.value, name);
    case 'below':
      return isAtOrBelow(name.value, values.value) || (!name.isExact && isAtOrBelow(values.value, name.value));
    case 'glob': {
      const stars = readStars(values.value);
      return name.isExact ? matchesStars(stars, name.value) : mayMatchStars(stars, name.value);
    }
  }
}

type Name = Pick<Resource, 'value' | 'isExact'>;

function mayBe(kind: ResourceKind, wanted: string, { value, isExact }: Name): boolean {
  if (value === wanted) return true;
  if (isExact) return false;
  return kind === 'path' ? isAtOrBelow(wanted, value) : wanted.startsWith(value);
}

function namesOf(kind: ResourceKind, resource: Resource): readonly Name[] {
  if (resource.kind === 'url' && kind === 'host') return hostsOf(authorityOf(resource.value));
  if (resource.kind !== kind) return [];
  if (kind === 'host') return hostsOf(resource.value);
  if (kind === 'url') return [resource, ...climbed(resource.value)];
  // `(on web) /etc/x`
  return kind === 'path'
    ? [resource, { ...resource, value: resource.value.replace(/^\(.*\) (?=\/)/s, '') }]
    : [resource];
}

const authorityOf = (url: string): string => /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/.exec(url)?.[1] ?? '';

/** As written, without the user in front, and without the port as well. */
function hostsOf(value: string): readonly Name[] {
  const host = value.replace(/^.*@/, '');
  return [...new Set([value, host, host.replace(/:\d+$/, '')])].map((each) => ({ value: each, isExact: true }));
}

/** Of a URL that clients or servers may read as another path of the same host, only the host is known. */
const climbed = (url: string): readonly Name[] =>
  /\/\.{1,2}(?:[/?#;]|$)|%[0-9a-f]{2}|\\/i.test(url)
    ? [{ value: url.slice(0, url.indexOf('/', url.indexOf('://') + 3) + 1), isExact: false }]
    : [];
