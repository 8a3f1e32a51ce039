/** Describes the confinement of an approved grant for people. The caller has to escape the text. */
import { type Grant, isForCommands } from '../grant/grant.ts';
import { leastLevel } from '../scope/conditions.ts';
import { confinementText, levelText } from './confinement-text.ts';

/** Returns null if the approval says nothing about a confinement. */
export function grantConfinementText({ scope, confinement }: Pick<Grant, 'scope' | 'confinement'>): string | null {
  if (confinement) return confinementText(confinement);
  if (!isForCommands(scope)) return null;
  const level = leastLevel(scope.conditions);
  return level === 0
    ? 'as far as the host that runs the line can; at the time of the approval, that host could not confine anything'
    : `the files, programs and network that each line names, at ${levelText(level)} or more`;
}
