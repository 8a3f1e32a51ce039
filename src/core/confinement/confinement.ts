/** What the kernel lets a process and all its descendants do. */
import type { ConfinementLevelSchema, ConfinementSchema, UnconfinedSchema } from '../wire/confinement.ts';
import type { Shape } from '../wire/schema-parts.ts';

/**
 * How much of a confinement the kernel of a host can apply.
 * - 0: nothing
 * - 1: files (Landlock ABI 3, Linux 6.2)
 * - 2: files and TCP (Landlock ABI 4, Linux 6.7)
 * - 3: files and TCP, and `readOnly` places by a mount namespace
 */
export type ConfinementLevel = Shape<typeof ConfinementLevelSchema>;

/**
 * Paths are absolute, with their links followed; a directory stands for itself and everything below it.
 * @property level    the least level that the host must reach, 1 to 3; a host that reaches less does not run the line
 * @property read     files that may be opened for reading, and directories that may be listed
 * @property write    places that may be read, created, written, truncated, renamed and removed
 * @property execute  files that may be started with execve(2), and mapped as a program
 * @property connect  TCP ports that may be connected to, 1 to 65535; `any`: all of them
 * @property readOnly places inside `write` that stay read-only (at level 3); they need not exist
 * @property absent   what may be written instead of a path of `write` that does not exist at the start; a path of `write` without an
 *                    entry here must exist
 * @property tools    the names of the rule files, programs and wrappers of the line (`git`), each once: the host also allows what its base
 *                    profile has for these names
 */
export type Confinement = Shape<typeof ConfinementSchema>;

/**
 * @property path  a place of `write`
 * @property below if `path` does not exist, the nearest existing directory above it may be written instead, but no directory above
 *                 `below`; null: nothing may be written instead, because the line may start without `path` (`AbsentTree.isNeeded`)
 */
export type AbsentPlace = NonNullable<Confinement['absent']>[number];

/**
 * Replaces a confinement on a host at level 0. The permit of a covered line must have a confinement or this value; otherwise the host
 * refuses to run the line.
 */
export type Unconfined = Shape<typeof UnconfinedSchema>;

export const UNCONFINED: Unconfined = { level: 0 };

/** Where systems keep programs that only root can change. */
export const SYSTEM_PROGRAMS: readonly string[] = ['/usr', '/bin', '/sbin', '/lib', '/lib64', '/opt', '/nix/store'];
