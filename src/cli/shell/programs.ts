/** Finds programs of the system in its own directories: the caller's PATH must not decide what root runs. */
import { resolveProgram } from '../../platform/own-program.ts';

export const SYSTEM_PATH = '/usr/sbin:/usr/bin:/sbin:/bin:/usr/local/sbin:/usr/local/bin';

/** Returns the real path; null if the system has no such program. */
export const findSystemProgram = (name: string): string | null => resolveProgram(name, SYSTEM_PATH, '/');
