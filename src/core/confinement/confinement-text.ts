/** What a confined run may do, and what a host reaches, in words for people. */
import { visibleLine } from '../visible-text.ts';
import type { Confinement, ConfinementLevel } from './confinement.ts';

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
export function levelText({ level, landlockAbi, missing }: ReachedLevel): string {
  const kernel = landlockAbi === 0 ? [] : [`Landlock ABI ${landlockAbi}`];
  return `level ${level} (${[HELD[level], ...kernel, ...(missing === null ? [] : [missing])].join('; ')})`;
}

const SHOWN_PATHS = 3;

/** `reads /a, writes nothing, no network`: what was approved, without what every program needs. */
export function confinementText({ read, write, execute, connect, readOnly }: Confinement): string {
  const parts = [
    `reads ${placesText(read)}`,
    `writes ${placesText(write)}${readOnly.length === 0 ? '' : ` but not ${placesText(readOnly)}`}`,
    ...(execute.length === 0 ? [] : [`starts ${placesText(execute)}`]),
    networkText(connect),
  ];
  return parts.join(', ');
}

function placesText(paths: readonly string[]): string {
  if (paths.length === 0) return 'nothing';
  const shown = paths.slice(0, SHOWN_PATHS).map(visibleLine).join(' ');
  return paths.length > SHOWN_PATHS ? `${shown} and ${paths.length - SHOWN_PATHS} more` : shown;
}

function networkText(connect: Confinement['connect']): string {
  if (connect === 'any') return 'any network';
  if (connect.length === 0) return 'no network';
  return `network only to port ${connect.join(' ')}`;
}
