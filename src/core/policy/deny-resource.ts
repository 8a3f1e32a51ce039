/**
 * Finds out whether a command possibly touches a forbidden resource. In doubt, the answer is yes. A resource that is not exact counts as
 * several values:
 * - a path: the path itself, and every path below it
 * - a host, or a URL whose end is not known: see `hostsOf` and `urlsOf`
 * - a resource of another kind: every value that begins with `value`
 */

import type { Resource, ResourceKind } from '../effects/permission.ts';
import type { ResourcePattern, ValuePattern } from '../scope/command-scope.ts';
import { matchesStars, mayMatchStars, readStars } from '../scope/stars.ts';
import { pathsElsewhere } from '../sensitive/elsewhere-path.ts';
import { beginsWithDirectory } from '../text/path.ts';
import { addressesOf } from './host-address.ts';
import { namesOfService, servicesWanted } from './service-names.ts';

/**
 * Whether the pattern possibly matches the resource under one of the resource's names (`namesOf`).
 * @param isUnit whether the name of a service is certainly a systemd unit. Otherwise, the name may be a Kubernetes kind, such as `crontabs`
 */
export const mayTouch = ({ kind, access, values }: ResourcePattern, resource: Resource, isUnit = false): boolean =>
  access.includes(resource.access) && namesOf(kind, resource, isUnit).some((name) => mayHave(kind, values, name));

function mayHave(kind: ResourceKind, values: ValuePattern, name: ResourceName): boolean {
  switch (values.match) {
    case 'any':
      return true;
    case 'exact':
      if (isUnlikeText(kind, values.value, name)) return true;
      return namesWanted(kind, values.value).some((wanted) => mayBe(kind, wanted, name));
    case 'below':
      return (
        beginsWithDirectory(name.value, values.value) ||
        (!name.isExact && beginsWithDirectory(values.value, name.value))
      );
    case 'glob': {
      if (isUnlikeText(kind, values.value, name)) return true;
      const matches = name.isExact ? matchesStars : mayMatchStars;
      return namesWanted(kind, values.value).some((wanted) => matches(readStars(wanted), name.value));
    }
  }
}

/**
 * One of the names of a resource. If `isExact` is false, `value` is only the beginning of the name, and the rest is not known. If the name
 * is a path, this unknown rest begins with a slash.
 */
export type ResourceName = Pick<Resource, 'value' | 'isExact'>;

/** A name that may be any resource of the kind. */
const ANY: readonly ResourceName[] = [{ value: '', isExact: false }];

function mayBe(kind: ResourceKind, wanted: string, { value, isExact }: ResourceName): boolean {
  if (value === wanted) return true;
  if (isExact) return false;
  return kind === 'path' ? beginsWithDirectory(wanted, value) : wanted.startsWith(value);
}

/**
 * Whether two resources may be the same although their texts differ. This is possible for:
 * - processes, unless both texts are process ids. An id can belong to a process of any name. `pkill x` may hit every process that has `x`
 *   in its name. `kill 0` may hit many processes
 * - a container that is named by an id. Docker accepts the beginning of an id. So `docker rm 3f` may remove any container. A rule about an
 *   id of 12 to 64 digits may mean a container of any name
 * - a rule about the current branch (`HEAD`): any branch may be the current branch
 */
function isUnlikeText(kind: ResourceKind, wanted: string, { value }: ResourceName): boolean {
  if (kind === 'process') return !/^[1-9]\d*$/.test(value) || !/^[\d*]+$/.test(wanted);
  if (kind === 'container') return IS_ID.test(value) || IS_LONG_ID.test(wanted);
  return kind === 'ref' && isCurrent(wanted);
}

const IS_ID = /^(?:sha256:)?[0-9a-f]+$/i;
const IS_LONG_ID = /^(?:sha256:)?[0-9a-f]{12,64}$/i;

/** Returns the kinds of patterns that are tried on a resource. A command that contacts a URL also contacts the URL's host. */
export const kindsOf = ({ kind }: Resource): readonly ResourceKind[] => (kind === 'url' ? ['url', 'host'] : [kind]);

/**
 * Returns the names that are compared with patterns of this kind. The list is empty if no such pattern is tried (`kindsOf`).
 * @param isUnit as in `mayTouch`
 */
export function namesOf(kind: ResourceKind, resource: Resource, isUnit = false): readonly ResourceName[] {
  if (resource.kind === 'url' && kind === 'host') return hostsOf(authorityOf(resource));
  if (resource.kind !== kind) return [];
  const name: ResourceName = { value: folded(kind, resource.value), isExact: resource.isExact };
  switch (kind) {
    case 'host':
      return hostsOf(name);
    case 'url':
      return urlsOf(name);
    case 'path':
      // A path on another host, `(on web) /etc/x`, is also compared as `/etc/x`.
      return [...new Set([resource.value, ...pathsElsewhere(resource.value)])].map((value) => ({ ...name, value }));
    case 'ref':
      return isPerhapsCurrent(name) ? ANY : shortened(name, REF_BEGINNING, /[~^@:].*$/s, REF_BEGINNINGS);
    case 'package':
      return packagesOf(name);
    case 'container':
      return withTag(shortened(name, IMAGE_BEGINNING, /(?::[\w.-]*)?(?:@.*)?$/s, IMAGE_BEGINNINGS), name);
    case 'target':
      return shortened(name, /^(?:\.\/+)+/, /^$/);
    case 'variable':
      return shortened(name, /^$/, /\+?=.*$/s);
    case 'service':
      // A service that a command contacts is a server, such as `docker`.
      return namesOfService(name, !isUnit && resource.access !== 'contact');
    default:
      return [name];
  }
}

/** Returns the forms of a pattern's value. Each form is compared with the names of the resource. */
function namesWanted(kind: ResourceKind, wanted: string): readonly string[] {
  const value = folded(kind, wanted);
  switch (kind) {
    case 'ref':
      return [...new Set([value, value.replace(REF_BEGINNING, '')])];
    case 'container':
      return [...new Set([value, value.replace(IMAGE_BEGINNING, '')])];
    case 'host':
      return hostsOf({ value, isExact: true }).map((name) => name.value);
    case 'url':
      return [value, ...urlsOf({ value, isExact: true }).flatMap((name) => (name.isExact ? name.value : []))];
    case 'package':
      return [withoutMarks(value)];
    case 'service':
      return servicesWanted(value);
    default:
      return [value];
  }
}

/** `refs/heads/main`, `heads/main` and `main` are the same branch for git. */
const REF_BEGINNING = /^(?:refs\/)?(?:(?:heads|tags|remotes)\/)?/;
const REF_BEGINNINGS = ['refs/', 'heads/', 'tags/', 'remotes/'];

/** `x`, `library/x` and `docker.io/library/x` are the same image for docker. */
const IMAGE_BEGINNING = /^(?:(?:index\.)?docker\.io\/)?(?:library\/)?/i;
const IMAGE_BEGINNINGS = ['docker.io/', 'index.docker.io/', 'library/'];

/** Whether the line does not say which branch the ref means: `HEAD`, `HEAD~1`, `@{1}`, `-`. */
const isCurrent = (ref: string): boolean => /^(?:HEAD|@)(?:$|[~^@{:])/.test(ref) || ref === '-';

/** Whether the ref is the current branch, or may be the current branch because the end of the ref is not known: `HEA$x`, `@{-$n}`. */
const isPerhapsCurrent = ({ value, isExact }: ResourceName): boolean =>
  isCurrent(value) || (!isExact && (/^(?:HEAD|@|-)/.test(value) || 'HEAD'.startsWith(value)));

/** Returns a host, a URL or the name of a package in lower case: many programs ignore the case of these. Other values do not change. */
const folded = (kind: ResourceKind, value: string): string =>
  kind === 'host' || kind === 'url' || kind === 'package' ? value.toLowerCase() : value;

/**
 * Returns four forms of the name: as given, without `beginning`, without `end`, and without both. A form that has lost `end` is exact. The
 * other forms keep `isExact` of the name. If the known text stops within one of the `beginnings`, the whole may be any name.
 */
function shortened(
  name: ResourceName,
  beginning: RegExp,
  end: RegExp,
  beginnings: readonly string[] = [],
): readonly ResourceName[] {
  const short = name.value.replace(beginning, '');
  if (!name.isExact && beginnings.some((each) => each.startsWith(short.toLowerCase()))) return ANY;
  const found = [name, { ...name, value: short }];
  for (const { value } of [...found]) {
    const cut = value.replace(end, '');
    if (cut !== value) found.push({ value: cut, isExact: true });
  }
  return found.filter(
    ({ value, isExact }, at) => found.findIndex((e) => e.value === value && e.isExact === isExact) === at,
  );
}

/** Matches the end of a package that names exactly one version: `@1.2.3`, `==1.2`, `=7`. */
const ONE_VERSION = /(?:@\d+\.\d+\.\d[\w.+-]*|={1,2}[\w.+:~-]+)$/;

/**
 * Returns the package with and without its version, and the package behind an alias (`x@npm:lodash`). If the line does not name exactly one
 * version, the package may have any version.
 */
function packagesOf(name: ResourceName): readonly ResourceName[] {
  const alias = /^.+?@npm:/s;
  const found = [...shortened(name, alias, /(?<=.)[@=<>~!:[].*$/s)];
  const short = found.at(-1)?.value ?? '';
  if (!ONE_VERSION.test(name.value))
    found.push({ value: `${short}@`, isExact: false }, { value: `${short}=`, isExact: false });
  return found.map((one) => ({ ...one, value: withoutMarks(one.value) }));
}

/** pip takes `a_b`, `a.b` and `a-b` for the same name. */
const withoutMarks = (name: string): string => name.replace(/[-_.]+/g, '-');

/** Adds each name with docker's default tag, if the image has no tag and no digest. A colon before a slash belongs to the registry's port. */
const withTag = (names: readonly ResourceName[], { value }: ResourceName): readonly ResourceName[] =>
  /:[^/]*$|@/.test(value) ? names : [...names, ...names.map((name) => ({ ...name, value: `${name.value}:latest` }))];

/** Returns the part `USER@HOST:PORT` of a URL in lower case. If `value` possibly ends within this part, the result may be any host. */
function authorityOf({ value, isExact }: ResourceName): ResourceName {
  const [, host = '', next = ''] = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)([/?#]?)/i.exec(value) ?? [];
  return next !== '' || isExact ? { value: host.toLowerCase(), isExact: true } : { value: '', isExact: false };
}

/**
 * Returns the host in several forms: as written; without `USER@`; without `USER@` and `:PORT`; without `USER@` and the dot at the end of
 * the name; without the brackets of an IPv6 address; an address in its usual spelling. A host that is not exact may be any host, because
 * the known text may be the user in `USER@`.
 */
function hostsOf({ value, isExact }: ResourceName): readonly ResourceName[] {
  if (!isExact) return ANY;
  const host = value.replace(/^.*@/s, '');
  const names = [value, host, host.replace(/\.?:\d+$/, ''), host.replace(/\.$/, '')];
  names.push(...names.map((each) => each.replace(/^\[(.*)\](?::\d+)?$/, '$1')));
  names.push(...names.flatMap(addressesOf));
  return [...new Set(names)].map((each) => ({ value: each, isExact: true }));
}

/** Returns an address in its usual spelling, with brackets for IPv6. Returns a name unchanged. */
function usualHost(host: string): string {
  const address = addressesOf(host).at(-1);
  return address === undefined ? host : address.includes(':') ? `[${address}]` : address;
}

/** The ports that clients use if a URL has no port. */
const DEFAULT_PORT: Readonly<Record<string, string>> = {
  http: '80',
  https: '443',
  ftp: '21',
  ftps: '990',
  git: '9418',
};

/**
 * Returns the URL, and a second form of an exact URL. The second form has no user, no default port, no dot at the end of the host and no
 * fragment; an address and a port have their usual spelling.
 *
 * A client or a server may read another path than the written path, if the URL has one of these:
 * - `.` or `..` as a part of its path
 * - an escape such as `%2e`
 * - `\`, `//` or `;`
 *
 * For such a URL, the function also returns the URL's scheme and host with any path. The function also returns this form if the end of the
 * URL is not known: the end may have `..`. A URL whose host is not known may be any URL.
 */
function urlsOf(resource: ResourceName): readonly ResourceName[] {
  const { value, isExact } = resource;
  const usual = value
    .replace(/#.*$/s, '') // No client sends the fragment.
    .replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#]*@/, '$1')
    .replace(/^([a-z][a-z0-9+.-]*)(:\/\/[^/?#]*?)\.?(?::0*(\d+))?(?=[/?#]|$)/, (_, scheme, host, port) => {
      return `${scheme}${host}${port === undefined || port === DEFAULT_PORT[scheme] ? '' : `:${port}`}`;
    })
    .replace(/^([a-z][a-z0-9+.-]*:\/\/[^/?#]*)(?=[?#]|$)/, '$1/')
    .replace(/(?<=^[a-z][a-z0-9+.-]*:\/\/)[^/?#]+?(?=(?::\d+)?[/?#])/, usualHost);
  const upToHost = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*(?=[/?#])/.exec(isExact ? usual : value)?.[0];
  if (!isExact && upToHost === undefined) return ANY;
  const names = value === usual || !isExact ? [resource] : [resource, { value: usual, isExact }];
  const mayClimb = !isExact || /\/\.{1,2}(?:[/?#;]|$)|%[0-9a-f]{2}|\\|[^:]\/\/|;/i.test(value);
  if (!mayClimb) return names;
  const host = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*(?=\/)/.exec(usual)?.[0];
  return host === undefined ? ANY : [...names, { value: `${host}/`, isExact: false }];
}
