/** What no pattern reaches, however wide: places where what is written runs later, and places with secrets. */
import { dangerousPlace, dangerReason, placeWithin } from '../dangerous-places.ts';
import { isAtOrBelow } from '../file-operation.ts';
import type { Access, Permission, Resource } from '../permission/permission.ts';

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

/** They write names that nobody sees before: out of an archive, or as another host calls them. */
const IMPORTERS: ReadonlySet<string> = new Set(['tar', 'unzip', 'rsync', 'scp', 'curl', 'wget']);

/**
 * The resource that a command writes to all of, where one of the names it brings there may be a dangerous place, and why;
 * or null. `cp x/.envrc .` writes `.envrc`.
 */
export function dangerOfTree({ tool, resources }: Permission): readonly [Resource, string] | null {
  const brought = resources.filter(({ kind, access }) => kind === 'path' && (access === 'read' || access === 'delete'));
  for (const tree of resources) {
    if (tree.kind !== 'path' || tree.access !== 'write' || tree.isExact) continue;
    if (IMPORTERS.has(tool)) return [tree, 'may get files there that decide what runs'];
    for (const { value } of brought) {
      const target = `${tree.value}${value.slice(value.lastIndexOf('/'))}`;
      const code = dangerousPlace(target, false) ?? placeWithin(target, false);
      if (code !== null) return [tree, `may get ${value.slice(value.lastIndexOf('/') + 1)}, which ${reasonOf(code)}`];
    }
  }
  return null;
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
