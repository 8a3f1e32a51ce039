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
  const { value, isExact } = resource;
  const isRead = leavesAsItIs(resource.access);
  const code = dangerousPlace(value, isRead) ?? (isExact ? null : placeWithin(value, isRead));
  if (code !== null) return reasonOf(code);
  return isExact || !holdsHome(value, homes) ? null : `holds ${isRead ? 'keys and passwords' : 'what runs by itself'}`;
}

/** Why no pattern may have this directory in front of it, or null. A home directory itself may be: its projects are meant. */
export function dangerOfPrefix(directory: string, access: Access): string | null {
  const code = dangerousPlace(directory, leavesAsItIs(access));
  if (code !== null) return reasonOf(code);
  return directory === '/' || directory === '/home' || directory === '/Users' ? 'is too much' : null;
}

const holdsHome = (directory: string, homes: readonly string[]): boolean =>
  HOMES.test(directory) || homes.some((home) => isAtOrBelow(home, directory));

/** Reasons that begin with a noun get their verb here. */
function reasonOf(code: string): string {
  const reason = dangerReason(code);
  return /^(belongs|decides|holds|is|was)\b/.test(reason) ? reason : `is a dangerous place (${reason})`;
}
