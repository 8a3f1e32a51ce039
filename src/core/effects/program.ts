/** Describes the program that a name means now, and who could replace that program. A standing grant is bound to both facts. */

import type { Resolution } from '../reading/resolution.ts';
import type { Lookup } from '../reading/unwrapping.ts';
import { because, type Reason } from '../reasons/reason.ts';
import type { ProgramSchema } from '../wire/permission.ts';
import type { Shape } from '../wire/schema-parts.ts';

/**
 * @property name        as written in the line
 * @property realPath    without symbolic links; null for a builtin or a keyword
 * @property changeable  who could put another program at `realPath`: only `root`, or also the `user` as whom the command runs; `root`
 *                       for a builtin or a keyword
 */
export type Program = Shape<typeof ProgramSchema>;

/**
 * Returns a reason if no standing grant can cover the program. Returns null if `resolution` is null and the command runs elsewhere.
 * @param resolution  null: the name was not looked up. There are two causes: the name is known only at run time, or `isElsewhere`
 * @param isElsewhere whether the command runs on another host, in a container or in another root directory
 */
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
      // The advice for `program-missing` does not help if a builtin is missing or the name is empty.
      return because(name === '' || lookup === 'builtin' ? 'program-unsure' : 'program-missing', resolution.reason);
    case 'unsure':
      return because('program-unsure', resolution.reason);
    case 'file':
      if (resolution.writable.some(({ by }) => by === 'others'))
        return because('changeable-by-others', resolution.realPath);
      return { name, realPath: resolution.realPath, changeable: resolution.writable.length > 0 ? 'user' : 'root' };
  }
}
