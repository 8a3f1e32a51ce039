/**
 * Finds the paths that a confinement must let one command reach: the paths among the command's resources. A command that writes or deletes
 * a path gets the right to write in the whole parent directory, if the approval allows that (`givenToWrite`).
 */

import type { Access, Resource } from '../effects/permission.ts';
import { type Fault, fault } from '../fault.ts';
import { failed, type Result, success } from '../result.ts';
import { dangerOfResource } from '../sensitive/dangerous-resource.ts';
import { isPlainPath, parentOf } from '../text/path.ts';
import type { AbsentTree } from './absent-places.ts';

/**
 * The facts that decide whether a command may get rights on more than the paths that its resources name.
 * @property workDirectory the directory that the approver was shown as the place of the work; null: no directory was shown
 * @property homes         the known home directories, the user's own first; can be empty. Directories at the usual places (`/home/NAME`)
 *                         always count as home directories
 * @property reaches       whether the approval lets the command have this access to a whole directory
 * @property isExact       whether the request's exact bytes were approved, not a scope. If so, a command without a right on the
 *                         parent of a path gets a right on the path alone. With this right, the command cannot create, replace or
 *                         remove the path itself
 */
export interface PathSetting {
  readonly workDirectory: string | null;
  readonly homes: readonly string[];
  readonly reaches: (directory: string, access: Access) => boolean;
  readonly isExact: boolean;
}

/**
 * The paths that one command needs, in the order of the resources; a path can occur twice. A directory includes everything below it.
 * @property read    paths that may be read, including all of `execute`
 * @property trees   directories that may be written
 * @property files   files that may be written, but not made or removed
 * @property claims  the paths that the command writes or deletes. `trees` may contain the parent of such a path instead of the path
 * @property execute paths that may be executed
 * @property absent  for each of `trees`, in the same order: what may be written if the tree does not exist
 */
export interface PathNeeds {
  readonly read: readonly string[];
  readonly trees: readonly string[];
  readonly files: readonly string[];
  readonly claims: readonly string[];
  readonly execute: readonly string[];
  readonly absent: readonly AbsentTree[];
}

/**
 * Fails if the command cannot be confined. The message says why. The message ends a sentence that begins with "it", for example `it writes
 * /x`.
 * @param resources only resources of the kind `path`
 */
export function pathNeedsOf(resources: readonly Resource[], setting: PathSetting): Result<PathNeeds, Fault> {
  const read: string[] = [];
  const trees: string[] = [];
  const files: string[] = [];
  const claims: string[] = [];
  const execute: string[] = [];
  const absent: AbsentTree[] = [];
  for (const resource of resources) {
    const { access, value } = resource;
    if (!isPlainPath(value) || value === '/')
      return failed(fault(`${DOES[access]} ${value === '/' ? 'any file' : value}`));
    if (access === 'execute') execute.push(value);
    if (access === 'read' || access === 'execute' || access === 'contact') read.push(value);
    else {
      const outcome = givenToWrite(resource, setting);
      if (!outcome.ok) return outcome;
      const given = outcome.value;
      claims.push(value);
      (given.isTree ? trees : files).push(given.path);
      if (!given.isTree) continue;
      const below = outermostGiven(given.path, resource, setting);
      absent.push({ path: given.path, below, isNeeded: access !== 'delete' });
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
 * To make, replace or remove a name, a command needs the right to do so in the whole directory: the kernel has no right for one name.
 * So the command gets a right on the directory if `mayGiveParent` allows this. If not, it gets a right on the path alone in these cases:
 * - the path is a tree, and the command only writes in this tree
 * - the path is a device
 * - the request's exact bytes were approved
 *
 * Fails in all other cases.
 */
function givenToWrite(
  resource: Resource,
  setting: PathSetting,
): Result<{ readonly path: string; readonly isTree: boolean }, Fault> {
  const { access, value, isExact } = resource;
  const parent = parentOf(value);
  if (mayGiveParent(parent, resource, setting)) return success({ path: parent, isTree: true });
  // A right on a tree covers everything in the tree. To delete the tree itself, a command needs a right on the parent.
  if (!isExact && (access !== 'delete' || setting.isExact)) return success({ path: value, isTree: true });
  if (setting.isExact || value.startsWith('/dev/')) return success({ path: value, isTree: false });
  return failed(fault(`${DOES[access]} ${value}, and the approval does not reach its directory`));
}

function mayGiveParent(parent: string, { access, isExact }: Resource, setting: PathSetting): boolean {
  // A command that only writes in a tree needs no right in the tree's parent, even if the parent is in the work directory.
  const needsParent = isExact || access === 'delete';
  return mayGive(parent, access, needsParent ? setting : { ...setting, workDirectory: null });
}

/** Allows a directory that the approval reaches, or that is in the work directory. Never allows a dangerous directory. */
const mayGive = (directory: string, access: Access, setting: PathSetting): boolean =>
  !isDangerousTree(directory, setting) &&
  (setting.reaches(directory, access) ||
    (setting.workDirectory !== null && isInDirectory(directory, setting.workDirectory)));

/**
 * Goes up from the parent of the tree, as long as the command may get a right on each directory. A missing tree is made in one of these
 * directories. Returns the uppermost directory; null if the command may get no right on the parent of the tree.
 */
function outermostGiven(tree: string, { access }: Resource, setting: PathSetting): string | null {
  let found: string | null = null;
  for (let at = parentOf(tree); mayGive(at, access, setting); at = parentOf(at)) found = at;
  return found;
}

/** Whether the directory is the root directory or a home directory, or may contain files that programs run or obey unasked. */
export const isDangerousTree = (directory: string, { homes }: Pick<PathSetting, 'homes'>): boolean =>
  directory === '/' ||
  dangerOfResource({ kind: 'path', access: 'write', value: directory, isExact: false }, homes) !== null;

/**
 * Whether the path is the directory or is below it. No path counts as below `/`. Otherwise a command that works in `/` would get a right
 * on every directory.
 */
const isInDirectory = (path: string, directory: string): boolean =>
  path === directory || path.startsWith(`${directory}/`);
