/** Shows a resource of a command to people: `write path /a (and everything below it)`. */
import type { Resource } from '../../core/effects/permission.ts';
import { visibleLine } from '../../core/text/visible-text.ts';

export function resourceText({ kind, access, value, isExact }: Resource): string {
  const more = kind === 'path' ? ' (and everything below it)' : ' (and all that begins with it)';
  return `${access} ${kind} ${visibleLine(value)}${isExact ? '' : more}`;
}
