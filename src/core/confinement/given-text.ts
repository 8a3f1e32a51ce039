/** The confinement of an approval that was given, for people. Not escaped. */
import { type Grant, isForCommands } from '../grant/grant.ts';
import { leastLevel } from '../scope/conditions.ts';
import { heldText, levelText } from './confinement-text.ts';

/** Returns null if the approval says nothing about a confinement. */
export function givenHeldText({ scope, confinement }: Pick<Grant, 'scope' | 'confinement'>): string | null {
  if (confinement) return heldText(confinement);
  if (!isForCommands(scope)) return null;
  const level = leastLevel(scope.conditions);
  return level === 0
    ? 'as far as its host can, which could not confine anything when this was approved'
    : `the files, programs and network that each line names, at ${levelText(level)} or more`;
}
