/** The system's own programs, looked for where the system keeps them: the caller's PATH has no say in what root runs. */
import { resolveProgram } from '../../platform/own-program.ts';

export const SYSTEM_PATH = '/usr/sbin:/usr/bin:/sbin:/bin:/usr/local/sbin:/usr/local/bin';

/** The real path, or null when the system has no such program. */
export const findSystemProgram = (name: string): string | null => resolveProgram(name, SYSTEM_PATH, '/');
