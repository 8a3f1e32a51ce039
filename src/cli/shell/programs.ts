/** Finds programs in the directories of the system, because the caller's PATH must not decide which programs root runs. */
import { resolveProgram } from '../../platform/own-program.ts';

export const SYSTEM_PATH = '/usr/sbin:/usr/bin:/sbin:/bin:/usr/local/sbin:/usr/local/bin';

/** Returns the real path; null if the system has no such program. */
export const findSystemProgram = (name: string): string | null => resolveProgram(name, SYSTEM_PATH, '/');
