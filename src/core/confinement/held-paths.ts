/**
 * Which files a confinement must let one command reach: those among its resources. A right is given for a whole directory
 * only if the kernel has no narrower right.
 */

import { writesRecord } from '../effects/git-records.ts';
import type { Access, Permission, Resource } from '../effects/permission.ts';
import { isPlainPath } from '../files/file-operation.ts';
import { failed, type Result, success } from '../result.ts';
import { dangerOfResource } from '../sensitive/dangerous-resource.ts';
import type { AbsentTree } from './absent-places.ts';

/**
 * What may be given besides the resources of the command.
 * @property tree    the directory that the approver was shown as the place of the work; null: none was shown
 * @property homes   home directories, besides those with the usual names
 * @property reaches whether the approval lets the command have this access to a whole directory
 * @property isExact whether the exact bytes were approved: then a file whose directory may not be given is given alone, even
 *                   though the command then cannot create it
 */
export interface Around {
  readonly tree: string | null;
  readonly homes: readonly string[];
  readonly reaches: (directory: string, access: Access) => boolean;
  readonly isExact: boolean;
}

/**
 * @property trees  directories that may be written with all that is below them
 * @property files  files that may be written, but not made or removed
 * @property claims the paths that the command writes or deletes, as in its resources
 * @property absent what is given for each of the trees if it does not exist
 */
export interface HeldPaths {
  readonly read: readonly string[];
  readonly trees: readonly string[];
  readonly files: readonly string[];
  readonly claims: readonly string[];
  readonly execute: readonly string[];
  readonly absent: readonly AbsentTree[];
}

/** Fails with the reason why the command cannot be confined, as the end of a sentence that begins "it …". */
export function heldPaths(resources: readonly Resource[], around: Around): Result<HeldPaths, string> {
  const read: string[] = [];
  const trees: string[] = [];
  const files: string[] = [];
  const claims: string[] = [];
  const execute: string[] = [];
  const absent: AbsentTree[] = [];
  for (const resource of resources) {
    const { access, value } = resource;
    if (!isPlainPath(value) || value === '/') return failed(`${DOES[access]} ${value === '/' ? 'any file' : value}`);
    if (access === 'execute') execute.push(value);
    if (access === 'read' || access === 'execute' || access === 'contact') read.push(value);
    else {
      const outcome = writtenBy(resource, around);
      if (!outcome.ok) return outcome;
      const written = outcome.value;
      claims.push(value);
      (written.isTree ? trees : files).push(written.path);
      if (!written.isTree) continue;
      const below = outermostGiven(written.path, resource, around);
      absent.push({ path: written.path, below, isNeeded: access !== 'delete' });
    }
  }
  return success({ read, trees, files, claims, execute, absent });
}

const DOES: Readonly<Record<Access, string>> = {
  read: 'reads',
  write: 'writes',
  delete: 'deletes',
  execute: 'executes',
  contact: 'contacts',
};

/**
 * To make, replace or remove a name, a command needs the right to do so in its whole directory: the kernel has no right for
 * one name. So the directory is given, if the approval reaches it or it is in the tree of the work.
 */
function writtenBy(
  resource: Resource,
  around: Around,
): Result<{ readonly path: string; readonly isTree: boolean }, string> {
  const { access, value, isExact } = resource;
  const parent = parentOf(value);
  if (mayGiveWhole(parent, resource, around)) return success({ path: parent, isTree: true });
  // With rights on a tree only, everything in it can be deleted, but not the tree itself.
  if (!isExact && (access !== 'delete' || around.isExact)) return success({ path: value, isTree: true });
  if (around.isExact || value.startsWith('/dev/')) return success({ path: value, isTree: false });
  return failed(
    `${access === 'delete' ? 'deletes' : 'writes'} ${value}, and the approval does not reach its directory`,
  );
}

function mayGiveWhole(parent: string, { access, isExact }: Resource, around: Around): boolean {
  // To write below a directory that exists, no right around it is needed.
  return mayGive(parent, access, isExact || access === 'delete' ? around : { ...around, tree: null });
}

/**
 * Whether the directory may be given: it is not dangerous, and the approval reaches it or it is in the tree of the
 * work.
 */
const mayGive = (directory: string, access: Access, around: Around): boolean =>
  directory !== '/' &&
  !isDangerousTree(directory, around) &&
  (around.reaches(directory, access) || (around.tree !== null && isBelow(directory, around.tree)));

/**
 * The uppermost directory above the tree that may be given, with all directories between. A tree that does not exist is
 * made in one of these. Returns null if the directory around the tree may not be given.
 */
function outermostGiven(tree: string, { access }: Resource, around: Around): string | null {
  let found: string | null = null;
  for (let at = parentOf(tree); mayGive(at, access, around); at = parentOf(at)) found = at;
  return found;
}

const parentOf = (path: string): string => path.slice(0, path.lastIndexOf('/')) || '/';

/** Whether the directory is a home directory, or has files that run by themselves. */
export const isDangerousTree = (directory: string, { homes }: Pick<Around, 'homes'>): boolean =>
  directory === '/' ||
  dangerOfResource({ kind: 'path', access: 'write', value: directory, isExact: false }, homes) !== null;

const isBelow = (path: string, directory: string): boolean => path === directory || path.startsWith(`${directory}/`);

/** The repository whose `.git` a git command writes; null: none. */
export function repositoryWritten({ tool, resources }: Permission): string | null {
  if (tool !== 'git') return null;
  if (!writesRecord(resources)) return null;
  const trees = resources.filter(
    ({ kind, access, isExact }) => kind === 'path' && !isExact && (access === 'read' || access === 'write'),
  );
  return trees.map(({ value }) => value).sort((a, b) => a.length - b.length)[0] ?? null;
}
