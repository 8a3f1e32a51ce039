/** A path, as far as it is known before the line runs. */
import { isAtOrBelow } from '../file-operation.ts';
import type { JudgeContext } from './judge-context.ts';

/** @property isExact false: it is somewhere below `value` */
export interface KnownPath {
  readonly value: string;
  readonly isExact: boolean;
}

/** Anything may be meant. */
export const ANYWHERE: KnownPath = { value: '/', isExact: false };

export type PathContext = Pick<JudgeContext, 'cwd' | 'home' | 'resolvePath' | 'hasLinksOut' | 'matchesOf' | 'earlier'>;

export function pathOfText(text: string, context: PathContext, end: 'target' | 'itself'): KnownPath {
  if (!text.startsWith('/') && context.cwd === null) return ANYWHERE;
  const value = context.resolvePath(text.startsWith('/') ? text : `${context.cwd}/${text}`, end);
  // What lies there now may be a link when the command starts.
  return context.earlier?.linked.some((area) => isAtOrBelow(value, area)) === true
    ? ANYWHERE
    : { value, isExact: true };
}
