/**
 * `ln a b` and `cp -l a b` make `b` another name of the file `a`. A later write of `b` changes `a`. So the command needs the permission to
 * write `a` too.
 */
import type { Resource } from './permission.ts';
import type { UnderstoodCall } from './understood-call.ts';

/** Returns a write of each file that gets another name. */
export function linkedSources({ tool, uses, ofOperands }: UnderstoodCall): readonly Resource[] {
  const has = (name: string): boolean => uses.some(({ rule }) => rule.canonical === name);
  if (!(tool === 'ln' && !has('--symbolic')) && !(tool === 'cp' && has('--link'))) return [];
  return ofOperands
    .filter(({ kind, access }) => kind === 'path' && access === 'read')
    .map((source) => ({ ...source, access: 'write' }));
}
