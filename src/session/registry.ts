/** Which sessions there are: one private file each, beside (or pointing to) the session's socket. */
import { join } from 'node:path';
import type { SessionKind } from '../core/session-view.ts';
import type { Paths } from '../platform/paths.ts';
import type { SessionEnding } from './live-session.ts';

/**
 * @property socket  absolute path; its directory is private
 * @property pid     of the process that listens there
 * @property ended   how the program ended, and when; null while it runs
 */
export interface SessionEntry {
  readonly id: string;
  readonly name: string | null;
  readonly kind: SessionKind;
  readonly pid: number;
  readonly socket: string;
  readonly program: readonly string[];
  readonly cwd: string;
  readonly startedAtMs: number;
  readonly ended: (SessionEnding & { readonly atMs: number }) | null;
}

export const sessionDirectory = (paths: Paths): string => join(paths.run, 'sessions');
