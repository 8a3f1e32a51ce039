/** What the kernel lets a process and all its descendants do, whatever the rules of its tools say. Types only. */
import type { ConfinementLevelSchema, ConfinementSchema, UnconfinedSchema } from '../wire/confinement.ts';
import type { Shape } from '../wire/schema-parts.ts';

/**
 * How much the kernel holds.
 * - 0: nothing
 * - 1: files (Landlock ABI 3, Linux 6.2)
 * - 2: files and TCP (Landlock ABI 4, Linux 6.7)
 * - 3: files and TCP, and `readOnly` places by a mount namespace
 */
export type ConfinementLevel = Shape<typeof ConfinementLevelSchema>;

/**
 * Paths are absolute, with their links followed; a directory means everything below it.
 * @property level    the least that the host must reach, 1 to 3; a host that reaches less does not run it
 * @property read     open for reading and list
 * @property write    read, create, write, truncate, rename and remove
 * @property execute  execve(2), and map as a program
 * @property connect  TCP ports that may be connected to, 1 to 65535; `any`: all of them
 * @property readOnly inside `write`, but kept read-only (level 3); what is not there need not be kept
 * @property absent   what is given for places of `write` that do not exist when it starts; a place without an entry must exist
 * @property tools    rule names of the commands (`git`), each once: the host adds the settings of each from its base profile
 */
export type Confinement = Shape<typeof ConfinementSchema>;

/**
 * @property path  in `write`
 * @property below the nearest directory that exists is given for it, if it is this one or lies below it; null: nothing is given
 *                 for it, since it would only be deleted there
 */
export type AbsentPlace = NonNullable<Confinement['absent']>[number];

/** Said openly, where a scope was approved for a host that holds nothing: no permit leaves it out. */
export type Unconfined = Shape<typeof UnconfinedSchema>;

export const UNCONFINED: Unconfined = { level: 0 };

/** Where a system keeps what only root can change, and runs it from. */
export const SYSTEM_PROGRAMS: readonly string[] = ['/usr', '/bin', '/sbin', '/lib', '/lib64', '/opt', '/nix/store'];
