/** What no pattern reaches, however wide: places where what is written runs later, and places with secrets. */
import { dangerousPlace, dangerReason, placeWithin } from '../dangerous-places.ts';
import { isAtOrBelow } from '../file-operation.ts';
import type { Access, Resource } from '../permission/permission.ts';

/** Running what lies in a place is no way to change it: there only secrets count, as for reading. */
const leavesAsItIs = (access: Access): boolean => access !== 'write' && access !== 'delete';

/** A directory that holds home directories, or is one. */
const HOMES = /^\/(?:$|root$|(?:home|Users)(?:\/[^/]*)?$)/;

/**
 * Why a pattern may not reach this resource, as the end of a sentence that begins with its value; or null.
 * @param homes home directories besides those with the usual names
 */
export function dangerOfResource(resource: Resource, homes: readonly string[]): string | null {
  if (resource.kind !== 'path') return null;
  const isRead = leavesAsItIs(resource.access);
  const code = codeOf(resource, isRead);
  if (code !== null && code !== HOME) return reasonOf(code);
  const holdsHome = code === HOME || (!resource.isExact && homes.some((home) => isAtOrBelow(home, resource.value)));
  return holdsHome ? `holds ${isRead ? 'keys and passwords' : 'what runs by itself'}` : null;
}

const HOME = 'home';

/** A line is tried with many scopes, and its resources stay what they are. */
const codes = new WeakMap<Resource, string | null>();

function codeOf(resource: Resource, isRead: boolean): string | null {
  const known = codes.get(resource);
  if (known !== undefined) return known;
  const { isExact } = resource;
  // `(on web) /etc`: homes and keys are everywhere.
  const value = resource.value.replace(/^\(.*\) (?=\/)/s, '');
  const found = dangerousPlace(value, isRead) ?? (isExact ? null : placeWithin(value, isRead));
  const code = found ?? (!isExact && HOMES.test(value) ? HOME : null);
  codes.set(resource, code);
  return code;
}

/** Why no pattern may have this directory in front of it, or null. A home directory itself may be: its projects are meant. */
export function dangerOfPrefix(directory: string, access: Access): string | null {
  const code = dangerousPlace(directory, leavesAsItIs(access));
  if (code !== null) return reasonOf(code);
  return directory === '/' || directory === '/home' || directory === '/Users' ? 'is too much' : null;
}

/** Reasons that begin with a noun get their verb here. */
function reasonOf(code: string): string {
  const reason = dangerReason(code);
  return /^(belongs|decides|holds|is|was)\b/.test(reason) ? reason : `is a dangerous place (${reason})`;
}
