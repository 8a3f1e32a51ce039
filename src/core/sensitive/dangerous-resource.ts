/** Finds resources that no pattern of a scope may cover: places where a written file runs later, and places with secrets. */

import type { Access, Permission, Resource } from '../effects/permission.ts';
import { isAtOrBelow } from '../text/path.ts';
import { dangerClause, dangerousPlace, placeWithin } from './dangerous-places.ts';
import { pathsElsewhere } from './elsewhere-path.ts';
import { sensitivityOf, sensitivityOfName } from './sensitive-paths.ts';

/** Whether the access changes nothing in the resource. For such an access, only places with secrets are dangerous. */
const leavesAsItIs = (access: Access): boolean => access !== 'write' && access !== 'delete';

/** A home directory, or a directory that contains home directories. */
const HOMES = /^\/(?:$|root$|(?:home|Users)(?:\/[^/]*)?$)/;

/**
 * Returns why no pattern may cover this resource, or null if a pattern may cover it. The reason is a predicate. Its subject is the value of
 * the resource.
 * @param homes home directories that do not have a usual name (`HOMES`)
 */
export function dangerOfResource(resource: Resource, homes: readonly string[]): string | null {
  if (resource.kind !== 'path') return null;
  const isRead = leavesAsItIs(resource.access);
  const reason = reasonFor(resource, isRead);
  if (reason !== null && reason !== HOME) return reason;
  const holdsHome = reason === HOME || (!resource.isExact && homes.some((home) => isAtOrBelow(home, resource.value)));
  return holdsHome ? `holds ${isRead ? 'keys and passwords' : 'files that run by themselves'}` : null;
}

/** `findReason` returns this in place of a reason if `HOMES` matches the resource. */
const HOME = 'home';

/** A cache by object identity: one line is compared with many scopes. The cache is safe, because no code changes a resource in place. */
const reasons = new WeakMap<Resource, string | null>();

function reasonFor(resource: Resource, isRead: boolean): string | null {
  const known = reasons.get(resource);
  if (known !== undefined) return known;
  const reason = findReason(resource, isRead);
  reasons.set(resource, reason);
  return reason;
}

/** The same places are dangerous on another host. The path `(on web) /etc` is checked as `/etc`. */
function findReason(resource: Resource, isRead: boolean): string | null {
  const found = pathsElsewhere(resource.value).map((value) => reasonForPath(value, resource, isRead));
  return found.find((reason) => reason !== null && reason !== HOME) ?? found.find((reason) => reason !== null) ?? null;
}

function reasonForPath(value: string, resource: Resource, isRead: boolean): string | null {
  const { isExact } = resource;
  const code = dangerousPlace(value, isRead) ?? (isExact ? null : placeWithin(value, isRead));
  if (code !== null) return dangerClause(code);
  const sensitive = isExact ? sensitivityOf({ ...resource, value }) : sensitivityOfTree(resource.access, value);
  if (sensitive !== null) return `is a sensitive path: the command ${sensitive.does.replace(/\.$/, '').toLowerCase()}`;
  return !isExact && HOMES.test(value) ? HOME : null;
}

/** A resource that is not exact may be a file. Reading a file with the name of a secret is sensitive. */
const sensitivityOfTree = (access: Access, path: string): { readonly does: string } | null =>
  access === 'read' ? sensitivityOfName(path, 'read') : null;

/** Tools that write files from an archive or from another host. The approver does not see the names of these files. */
const IMPORTERS: ReadonlySet<string> = new Set(['tar', 'unzip', 'rsync', 'scp', 'curl', 'wget']);

/**
 * Returns a resource that no pattern may cover, and the reason. The reason is a predicate, as in `dangerOfResource`. Returns null except in
 * two cases:
 * - The command writes a tree, and possibly puts a dangerous file into the tree: `cp x/.envrc .` writes `.envrc`.
 * - The command moves a file that has the name of a secret.
 */
export function dangerOfTree(permission: Permission): readonly [Resource, string] | null {
  const { tool, resources } = permission;
  const brought = resources.filter(({ kind, access }) => kind === 'path' && (access === 'read' || access === 'delete'));
  const writes = resources.some(({ kind, access }) => kind === 'path' && access === 'write');
  // `mv .env x` reads nothing, but afterwards the content has a name that a scope for reading covers.
  const secret = brought.find(({ access, value }) => access === 'delete' && sensitivityOfName(value, 'read') !== null);
  if (secret !== undefined && writes) return [secret, 'has the name of a secret, and would get another name'];
  for (const tree of resources) {
    if (tree.kind !== 'path' || tree.access !== 'write' || tree.isExact) continue;
    if (IMPORTERS.has(tool) || bringsCommits(permission)) return [tree, 'may get files there that decide what runs'];
    for (const { value } of brought) {
      for (const name of endsOf(value)) {
        const code = dangerousPlace(`${tree.value}/${name}`, false) ?? placeWithin(`${tree.value}/${name}`, false);
        if (code !== null) return [tree, `may get ${name}, which ${dangerClause(code)}`];
      }
    }
  }
  return null;
}

/** Some dangerous places can be in any directory (`.config/gh`). Such a place has at most this number of components. */
const MAX_PARTS = 4;

/** Returns the last component, the last two components, and so on. A copy of the path may get any of these names in the tree. */
function endsOf(path: string): readonly string[] {
  const parts = path.split('/').filter((part) => part !== '');
  return parts.slice(-MAX_PARTS).map((_, at, kept) => kept.slice(kept.length - 1 - at).join('/'));
}

/** Git operations that, without options and refs, write no content of a commit, a patch or a stash into the work tree. */
const OWN_FILES: ReadonlySet<string> = new Set(
  ['checkout new', 'format-patch', 'gc', 'init', 'mv', 'switch create', 'switch new'].map((verb) => `git ${verb}`),
);

/**
 * Whether git may write files of a commit, a patch or a stash into the work tree. Such files may have arbitrary names. Git writes no files
 * for a new branch that starts at the current commit.
 */
function bringsCommits({ tool, operation, options, resources }: Permission): boolean {
  if (tool !== 'git') return false;
  const isOwn = OWN_FILES.has(operation) || (operation === 'git switch' && options.includes('--create'));
  const isForced = options.some((option) => option === '--force' || option === '--merge');
  return !isOwn || isForced || resources.some(({ kind, access }) => kind === 'ref' && access === 'read');
}

/**
 * Returns why no pattern may cover this directory and everything below this directory. The reason is a predicate whose subject is the
 * directory. Returns null if a pattern may cover all this. A pattern may cover a home directory, because projects are there.
 */
export function dangerOfPrefix(directory: string, access: Access): string | null {
  const code = dangerousPlace(directory, leavesAsItIs(access));
  if (code !== null) return dangerClause(code);
  return directory === '/' || directory === '/home' || directory === '/Users' ? 'contains too much' : null;
}
