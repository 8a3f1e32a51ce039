/** Which places one command must reach, as its reading claims them, widened only where the kernel knows no smaller thing. */

import { writesRecord } from '../effects/git-records.ts';
import type { Access, Permission, Resource } from '../effects/permission.ts';
import { isPlainPath } from '../files/file-operation.ts';
import { failed, type Result, success } from '../result.ts';
import { dangerOfResource } from '../sensitive/dangerous-resource.ts';
import type { AbsentTree } from './absent-places.ts';

/**
 * What may be given beside the claims themselves.
 * @property tree    the directory that the approver was shown as the place of the work; null: none was
 * @property homes   home directories besides those with the usual names
 * @property reaches whether what was approved says so much of a whole directory
 * @property isExact approved to the byte: a file that the kernel cannot make is then the approver's, not a reason to ask
 */
export interface Around {
  readonly tree: string | null;
  readonly homes: readonly string[];
  readonly reaches: (directory: string, access: Access) => boolean;
  readonly isExact: boolean;
}

/**
 * @property trees  what may be written with all that is below it
 * @property files  written as they are, never made or removed
 * @property claims what the reading says is written
 * @property absent what is given for each of the trees where it does not exist
 */
export interface HeldPaths {
  readonly read: readonly string[];
  readonly trees: readonly string[];
  readonly files: readonly string[];
  readonly claims: readonly string[];
  readonly execute: readonly string[];
  readonly absent: readonly AbsentTree[];
}

/** A failure: why the kernel cannot hold it to this, as the end of a sentence that begins "it …". */
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
 * A name is made, replaced and removed in its directory: there is no right to do so with one name alone. So the directory is
 * given, where the approval reaches it or it lies in the tree of the work.
 */
function writtenBy(
  resource: Resource,
  around: Around,
): Result<{ readonly path: string; readonly isTree: boolean }, string> {
  const { access, value, isExact } = resource;
  const parent = parentOf(value);
  if (mayGiveWhole(parent, resource, around)) return success({ path: parent, isTree: true });
  // What lies in a tree can be deleted with rights on the tree alone, the tree itself cannot.
  if (!isExact && (access !== 'delete' || around.isExact)) return success({ path: value, isTree: true });
  if (around.isExact || value.startsWith('/dev/')) return success({ path: value, isTree: false });
  return failed(
    `${access === 'delete' ? 'deletes' : 'writes'} ${value}, and the approval does not reach its directory`,
  );
}

function mayGiveWhole(parent: string, { access, isExact }: Resource, around: Around): boolean {
  // What is written below a directory that is there needs nothing around it.
  return mayGive(parent, access, isExact || access === 'delete' ? around : { ...around, tree: null });
}

/** A directory as a whole, because the approval reaches it or it lies in the tree of the work. */
const mayGive = (directory: string, access: Access, around: Around): boolean =>
  directory !== '/' &&
  !isDangerousTree(directory, around) &&
  (around.reaches(directory, access) || (around.tree !== null && isBelow(directory, around.tree)));

/**
 * How far up the approval goes without a gap: where a tree does not exist, it is made in a directory on this way. Null: it
 * says nothing of the directory around the tree.
 */
function outermostGiven(tree: string, { access }: Resource, around: Around): string | null {
  let found: string | null = null;
  for (let at = parentOf(tree); mayGive(at, access, around); at = parentOf(at)) found = at;
  return found;
}

const parentOf = (path: string): string => path.slice(0, path.lastIndexOf('/')) || '/';

/** A home directory, or a place with what runs by itself. */
export const isDangerousTree = (directory: string, { homes }: Pick<Around, 'homes'>): boolean =>
  directory === '/' ||
  dangerOfResource({ kind: 'path', access: 'write', value: directory, isExact: false }, homes) !== null;

const isBelow = (path: string, directory: string): boolean => path === directory || path.startsWith(`${directory}/`);

/** The directory that a command of git's works in, whose record it writes; null: it writes none. */
export function repositoryWritten({ tool, resources }: Permission): string | null {
  if (tool !== 'git') return null;
  if (!writesRecord(resources)) return null;
  const trees = resources.filter(
    ({ kind, access, isExact }) => kind === 'path' && !isExact && (access === 'read' || access === 'write'),
  );
  return trees.map(({ value }) => value).sort((a, b) => a.length - b.length)[0] ?? null;
}
