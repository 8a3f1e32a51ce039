/** The file that a name means now, and the users who could replace it: part of what a standing grant binds. */

import type { Resolution } from '../reading/resolution.ts';
import type { Lookup } from '../reading/unwrapping.ts';
import { because, type Reason } from '../reasons/reason.ts';
import type { ProgramSchema } from '../wire/permission.ts';
import type { Shape } from '../wire/schema-parts.ts';

/**
 * @property name        as it was called
 * @property realPath    without symbolic links; null for what the shell does itself
 * @property changeable  who besides root could put another program there: `user` is the one the command runs as
 */
export type Program = Shape<typeof ProgramSchema>;

/** A reason: why no standing grant can be about it. Null: nothing here runs for it. */
export function programOf(
  name: string,
  lookup: Lookup,
  resolution: Resolution | null,
  isElsewhere: boolean,
): Program | Reason | null {
  if (resolution === null) return isElsewhere ? null : because('name-unknown');
  switch (resolution.kind) {
    case 'builtin':
    case 'keyword':
      return { name, realPath: null, changeable: 'root' };
    case 'alias':
    case 'function':
      return because('redefined', resolution.kind);
    case 'not found':
      // A builtin that is not there, or no name, is not looked for under another name.
      return because(name === '' || lookup === 'builtin' ? 'program-unsure' : 'program-missing', resolution.reason);
    case 'unsure':
      return because('program-unsure', resolution.reason);
    case 'file':
      if (resolution.writable.some(({ by }) => by === 'others'))
        return because('changeable-by-others', resolution.realPath);
      return { name, realPath: resolution.realPath, changeable: resolution.writable.length > 0 ? 'user' : 'root' };
  }
}
