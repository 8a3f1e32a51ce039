/** The confinement level that a host reaches, and the text that describes the level for people. */
import type { ConfinementLevel } from './confinement.ts';

/**
 * @property level       how much of a confinement this host can apply
 * @property landlockAbi version of the kernel's Landlock ABI; 0: the kernel has no Landlock
 * @property missing     why the level is not higher; null at level 3
 */
export interface ReachedLevel {
  readonly level: ConfinementLevel;
  readonly landlockAbi: number;
  readonly missing: string | null;
}

const CONFINED: readonly string[] = ['none', 'files', 'files, TCP', 'files, TCP, namespaces'];

/** Returns, for example, `level 3 (files, TCP, namespaces; Landlock ABI 7)`. */
export function reachedText({ level, landlockAbi, missing }: ReachedLevel): string {
  const kernel = landlockAbi === 0 ? [] : [`Landlock ABI ${landlockAbi}`];
  return `level ${level} (${[CONFINED[level], ...kernel, ...(missing === null ? [] : [missing])].join('; ')})`;
}
