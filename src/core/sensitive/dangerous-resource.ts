/** What no pattern reaches, however wide: places where what is written runs later, and places with secrets. */

import type { Access, Permission, Resource } from '../effects/permission.ts';
import { isAtOrBelow } from '../files/file-operation.ts';
import { dangerClause, dangerousPlace, placeWithin } from './dangerous-places.ts';
import { sensitivityOf, sensitivityOfName } from './sensitive-paths.ts';

/** Running what lies in a place is no way to change it: there only secrets count, as for reading. */
const leavesAsItIs = (access: Access): boolean => access !== 'write' && access !== 'delete';

/** A directory that holds home directories, or is one. */
const HOMES = /^\/(?:$|root$|(?:home|Users)(?:\/[^/]*)?$)/;

/**
 * Why a pattern may not reach this resource, as the end of a sentence that begins with its value; or null.
 * @param homes home directories besides those with the usual names
 */
export function dangerOfResource(resource: Resource, homes: readonly string[]): string | null {
  if (resource.kind !== 'path') return null;
  const isRead = leavesAsItIs(resource.access);
  const reason = reasonFor(resource, isRead);
  if (reason !== null && reason !== HOME) return reason;
  const holdsHome = reason === HOME || (!resource.isExact && homes.some((home) => isAtOrBelow(home, resource.value)));
  return holdsHome ? `holds ${isRead ? 'keys and passwords' : 'what runs by itself'}` : null;
}

const HOME = 'home';

/** A line is tried with many scopes, and its resources stay what they are. */
const reasons = new WeakMap<Resource, string | null>();

function reasonFor(resource: Resource, isRead: boolean): string | null {
  const known = reasons.get(resource);
  if (known !== undefined) return known;
  const reason = findReason(resource, isRead);
  reasons.set(resource, reason);
  return reason;
}

function findReason(resource: Resource, isRead: boolean): string | null {
  const { isExact } = resource;
  // `(on web) /etc`: homes and keys are everywhere.
  const value = resource.value.replace(/^\(.*\) (?=\/)/s, '');
  const code = dangerousPlace(value, isRead) ?? (isExact ? null : placeWithin(value, isRead));
  if (code !== null) return dangerClause(code);
  const sensitive = isExact ? sensitivityOf({ ...resource, value }) : sensitivityOfTree(resource.access, value);
  if (sensitive !== null) return `is for exact approvals alone: ${sensitive.does.replace(/\.$/, '').toLowerCase()}`;
  return !isExact && HOMES.test(value) ? HOME : null;
}

/** A tree may be a file that its name gives away: what may be a directory is read as one (`scp .env host:`). */
const sensitivityOfTree = (access: Access, path: string): { readonly does: string } | null =>
  access === 'read' ? sensitivityOfName(path, 'read') : null;

/** They write names that the approver cannot see before: names from an archive, or from another host. */
const IMPORTERS: ReadonlySet<string> = new Set(['tar', 'unzip', 'rsync', 'scp', 'curl', 'wget']);

/**
 * The resource that a command writes to all of, where one of the names it brings there may be a dangerous place, and why;
 * or null. `cp x/.envrc .` writes `.envrc`.
 */
export function dangerOfTree(permission: Permission): readonly [Resource, string] | null {
  const { tool, resources } = permission;
  const brought = resources.filter(({ kind, access }) => kind === 'path' && (access === 'read' || access === 'delete'));
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

/** Dangerous places have at most so many parts. */
const MAX_PARTS = 4;

/** The last name, the last two names, and so on: that much of a path may be put together anew elsewhere. */
function endsOf(path: string): readonly string[] {
  const parts = path.split('/').filter((part) => part !== '');
  return parts.slice(-MAX_PARTS).map((_, at, kept) => kept.slice(kept.length - 1 - at).join('/'));
}

/** Those that change no file of the tree by themselves. */
const OWN_FILES: ReadonlySet<string> = new Set(
  ['checkout new', 'format-patch', 'gc', 'init', 'mv', 'switch create', 'switch new'].map((verb) => `git ${verb}`),
);

/** A commit, a patch or a stash may hold any names; a new branch from here changes nothing. */
function bringsCommits({ tool, operation, options, resources }: Permission): boolean {
  if (tool !== 'git') return false;
  const isOwn = OWN_FILES.has(operation) || (operation === 'git switch' && options.includes('--create'));
  const isForced = options.some((option) => option === '--force' || option === '--merge');
  return !isOwn || isForced || resources.some(({ kind, access }) => kind === 'ref' && access === 'read');
}

/** Why no pattern may have this directory in front of it, or null. A home directory itself may be: its projects are meant. */
export function dangerOfPrefix(directory: string, access: Access): string | null {
  const code = dangerousPlace(directory, leavesAsItIs(access));
  if (code !== null) return dangerClause(code);
  return directory === '/' || directory === '/home' || directory === '/Users' ? 'is too much' : null;
}
