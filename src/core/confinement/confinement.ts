/** What the kernel lets a process and all its descendants do. */
import type { ConfinementLevelSchema, ConfinementSchema, UnconfinedSchema } from '../wire/confinement.ts';
import type { Shape } from '../wire/schema-parts.ts';

/**
 * How much of a confinement the kernel of a host can apply.
 * - 0: nothing
 * - 1: files (Landlock ABI 3, Linux 6.2)
 * - 2: files and TCP (Landlock ABI 4, Linux 6.7)
 * - 3: files and TCP, and also `readOnly` (with a mount namespace)
 */
export type ConfinementLevel = Shape<typeof ConfinementLevelSchema>;

/**
 * Paths are absolute and contain no symbolic links. A directory includes everything below it.
 * @property level    the lowest level that the host must reach, 1 to 3; a host with a lower level does not run the line
 * @property read     files that may be opened for reading, and directories that may be listed
 * @property write    files and directories that may be read, created, written, truncated, renamed and removed
 * @property execute  files that may be started with execve(2), and mapped as a program
 * @property connect  TCP ports (1 to 65535) to which the line may connect; `any`: all ports
 * @property readOnly paths inside `write` that stay read-only (at level 3); these paths need not exist
 * @property absent   the paths of `write` that need not exist when the line starts. Each entry says what the line may write instead
 * @property tools    the names of the rule files, programs and wrappers of the line (`git`), each once. If the base profile of the host has
 *                    an entry for a name, the host allows this entry too
 */
export type Confinement = Shape<typeof ConfinementSchema>;

/**
 * @property path  a path of `write`
 * @property below a directory. If `path` does not exist, the line may write the nearest existing directory above `path` instead, but only
 *                 if that nearest directory is `below` or is inside `below`. Null: the line may write nothing instead, because the line
 *                 does not need `path` (`AbsentTree.isNeeded`)
 */
export type AbsentPlace = NonNullable<Confinement['absent']>[number];

/**
 * Replaces a confinement on a host at level 0. If the permit of a covered line has neither a confinement nor this value, the host does
 * not run the line.
 */
export type Unconfined = Shape<typeof UnconfinedSchema>;

export const UNCONFINED: Unconfined = { level: 0 };

/** Returns null at level 0: a stored grant and the gate's own permit have null for an unconfined run. */
export const confinementOrNull = (held: Confinement | Unconfined | null): Confinement | null =>
  held === null || held.level === 0 ? null : held;

/** Where systems keep programs that only root can change. */
export const SYSTEM_PROGRAMS: readonly string[] = ['/usr', '/bin', '/sbin', '/lib', '/lib64', '/opt', '/nix/store'];
