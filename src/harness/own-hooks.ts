/**
 * Distinguishes the hooks that `apes hooks install` writes for this user from all other hooks. This is necessary: a project can write
 * settings, too. A hook is ours only if each member of the hook is as we write it. A weaker check could accept a hook that lets tools run:
 * for example a hook with a program at another place, with the arguments of another installation, or with a time limit.
 */
import { isDeepStrictEqual } from 'node:util';
import { looksLikeHookLine } from '../core/grant/own-call.ts';
import { listOf } from '../core/shape.ts';
import type { HookPlaces } from './hook-file.ts';
import { isObject, type JsonObject } from './tool-call.ts';

/** Whether the hook is what `write` returns for the settings of this user, or for the settings of all users. */
export const isWrittenBy = (write: (places: HookPlaces) => unknown, places: HookPlaces, hook: unknown): boolean =>
  (['user', 'managed'] as const).some((scope) => isDeepStrictEqual(hook, write({ ...places, scope })));

/**
 * Returns the hooks for which `isOurs` is false. In a group with another member beside `hooks`, such as a matcher, no hook is ours.
 * @param groups the value of `hooks.EVENT` in settings: a list of `{hooks: […]}`
 */
export function othersIn(groups: unknown, isOurs: (hook: JsonObject) => boolean): readonly JsonObject[] {
  return listOf(groups).flatMap((group) => {
    if (!isObject(group)) return [];
    const isPlain = Object.keys(group).length === 1;
    return listOf(group['hooks'])
      .filter(isObject)
      .filter((hook) => !isPlain || !isOurs(hook));
  });
}

export const LIKENESS = 'looks like a hook of ape-shell, but is not what `apes hooks install` writes here';

/** Returns words for the end of a finding about hooks that are not ours; an empty text if all these hooks look different from ours. */
export const likenessOf = (hooks: readonly JsonObject[]): string => (hooks.some(isLikeOurs) ? `; it ${LIKENESS}` : '');

/** `exec` names a program that a harness starts without a shell. */
const isLikeOurs = ({ command, exec }: JsonObject): boolean =>
  (typeof command === 'string' && looksLikeHookLine(command)) ||
  (typeof exec === 'string' && /\/(?:hook-guard|apes)$/.test(exec));
