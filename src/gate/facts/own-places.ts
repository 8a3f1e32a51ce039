/** Finds where the files of this installation are: settings, keys, records and programs. */
import { dirname } from 'node:path';
import type { OwnPlace } from '../../core/effects/own-places.ts';
import type { Installation } from '../../platform/installation.ts';
import { resolvePath } from './resolve-path.ts';

/**
 * Returns the real path of each place, and the path of each link on the way to the place. A path that cannot be resolved stays as it is.
 */
export function ownPlaces({ paths, dist }: Pick<Installation, 'paths' | 'dist'>): readonly OwnPlace[] {
  const { apesHome, configFile, state, keys, data, run } = paths;
  const secret = new Set([apesHome ?? dirname(configFile), state, keys, data, run].flatMap(pathsOf));
  const programs = new Set(pathsOf(dist).filter((path) => !secret.has(path)));
  const placed = (found: Iterable<string>, isSecret: boolean) => Array.from(found, (path) => ({ path, isSecret }));
  return [...placed(secret, true), ...placed(programs, false)];
}

function pathsOf(path: string): readonly string[] {
  const found = resolvePath(path, '/');
  return found.ok ? [found.value.path, ...found.value.aliases] : [path];
}
