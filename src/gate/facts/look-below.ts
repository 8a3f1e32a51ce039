/** Finds what a scope for a directory must not silently cover: links out of the directory or to secrets, and sensitive paths. */
import { join } from 'node:path';
import { MAX_NAMES } from '../../core/effects/host-facts.ts';
import { dangerousPlace } from '../../core/sensitive/dangerous-places.ts';
import { sensitivityOfName } from '../../core/sensitive/sensitive-paths.ts';
import { isPartOfPlace } from '../../core/sensitive/sensitive-places.ts';
import { decodeUtf8 } from '../../platform/utf8.ts';
import { entriesIn, MAX_ENTRIES } from './match-names.ts';
import { resolveTarget } from './real-path.ts';

/**
 * Whether a symbolic link below the directory leads out of the directory, or to secrets. A link leads to secrets if its target is a place
 * of secrets, but the link's own path is not. Also true if a directory or name cannot be read, or if there are too many entries.
 * @param directory absolute, with symbolic links resolved
 * @param depth     how many levels of directories are searched; 1: only the directory itself
 */
export function hasLinksOut(directory: string, depth: number): boolean {
  const budget = { left: MAX_ENTRIES };
  const waiting: [string, number][] = [[directory, 1]];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [at, level] = next;
    const entries = entriesIn(at, budget);
    if (entries === null) return true;
    for (const entry of entries) {
      const name = decodeUtf8(entry.name);
      if (entry.isSymbolicLink() && (name === null || leadsOut(join(at, name), directory))) return true;
      if (!entry.isDirectory() || level >= depth) continue;
      if (name === null) return true;
      waiting.push([join(at, name), level + 1]);
    }
  }
  return false;
}

function leadsOut(link: string, directory: string): boolean {
  const target = resolveTarget(link);
  return !isBelow(target, directory) || (holdsSecrets(target) && !holdsSecrets(link));
}

/** A cache of `isPartOfPlace`: a search checks thousands of names, most of them many times. */
const KNOWN_NAMES = new Map<string, boolean>();
const MAX_KNOWN_NAMES = 20_000;

function isPartOfAnyPlace(name: string): boolean {
  const known = KNOWN_NAMES.get(name);
  if (known !== undefined) return known;
  if (KNOWN_NAMES.size >= MAX_KNOWN_NAMES) KNOWN_NAMES.clear();
  const found = isPartOfPlace(name);
  KNOWN_NAMES.set(name, found);
  return found;
}

const holdsSecrets = (path: string): boolean =>
  dangerousPlace(path, true) !== null || sensitivityOfName(path, 'read') !== null;

const isSensitive = (path: string): boolean => dangerousPlace(path, false) !== null || holdsSecrets(path);

/**
 * Lists the sensitive paths at all depths below the directory. The paths are relative to the directory, and in no order. Leaves out paths
 * below a listed path, and paths behind a symbolic link. The search does not see the name of `directory` itself. For example, in a
 * directory `.config`, the search does not find the place `.config/gh`. `placeWithin` finds such a place.
 * Returns null if there are too many entries or paths, or if a directory or name cannot be read.
 */
export function sensitiveBelow(directory: string): readonly string[] | null {
  const budget = { left: MAX_ENTRIES };
  const found: string[] = [];
  const waiting = [''];
  for (let below = waiting.pop(); below !== undefined; below = waiting.pop()) {
    const entries = entriesIn(join(directory, below), budget);
    if (entries === null) return null;
    for (const entry of entries) {
      const name = decodeUtf8(entry.name);
      if (name === null || found.length > MAX_NAMES) return null;
      const path = below === '' ? name : `${below}/${name}`;
      if ((name.startsWith('.') || isPartOfAnyPlace(name)) && isSensitive(`/${path}`)) found.push(path);
      else if (entry.isDirectory()) waiting.push(path);
    }
  }
  return found.length > MAX_NAMES ? null : found;
}

const isBelow = (path: string, directory: string): boolean =>
  directory === '/' || path === directory || path.startsWith(`${directory}/`);
