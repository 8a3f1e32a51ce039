/** What a host's kernel can hold a command to, in words for people. */
import type { ConfinementLevel } from './confinement.ts';

/**
 * @property level      what this host can hold a command to
 * @property landlockAbi version of Landlock, 0 where there is none
 * @property missing    why it is no more than that; null at level 3
 */
export interface ReachedLevel {
  readonly level: ConfinementLevel;
  readonly landlockAbi: number;
  readonly missing: string | null;
}

const HELD: readonly string[] = ['none', 'files', 'files, TCP', 'files, TCP, namespaces'];

/** `level 3 (files, TCP, namespaces; Landlock ABI 7)` */
export function reachedText({ level, landlockAbi, missing }: ReachedLevel): string {
  const kernel = landlockAbi === 0 ? [] : [`Landlock ABI ${landlockAbi}`];
  return `level ${level} (${[HELD[level], ...kernel, ...(missing === null ? [] : [missing])].join('; ')})`;
}
