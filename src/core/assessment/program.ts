/** The file a name means now, and who could make it another one: part of what a standing grant binds. */
import type { Resolution } from '../reading/resolution.ts';

/**
 * @property name        as it was called
 * @property realPath    without symbolic links; null for what the shell does itself
 * @property changeable  who besides root could put another program there: `user` is the one the command runs as
 */
export interface Program {
  readonly name: string;
  readonly realPath: string | null;
  readonly changeable: 'root' | 'user';
}

/** A string: why no standing grant can be about it, as the end of a sentence. Null: nothing here runs for it. */
export function programOf(name: string, resolution: Resolution | null, isElsewhere: boolean): Program | string | null {
  if (resolution === null) return isElsewhere ? null : 'has a name that is only known at run time';
  switch (resolution.kind) {
    case 'builtin':
    case 'keyword':
      return { name, realPath: null, changeable: 'root' };
    case 'alias':
    case 'function':
      return `is redefined by this shell (${resolution.kind})`;
    case 'not found':
    case 'unsure':
      return resolution.reason;
    case 'file':
      if (resolution.writable.some(({ by }) => by === 'others'))
        return `runs ${resolution.realPath}, which other users can change`;
      return { name, realPath: resolution.realPath, changeable: resolution.writable.length > 0 ? 'user' : 'root' };
  }
}
