/** Finds real paths, also of files that do not exist yet. */
import { realpathSync } from 'node:fs';
import { normalizePath } from '../../core/effects/command-context.ts';
import { joinedPath, walkPath } from '../../platform/path-walk.ts';
import { processLinkOn } from './process-links.ts';

/**
 * Follows the links of the path as the kernel does. A name that does not exist counts as a directory. A dangling link resolves to its
 * target. A path with more links than Linux follows keeps all its links. For a path through a link whose target depends on the process,
 * returns what `processLinkOn` returns.
 */
export const resolveTarget = (absolute: string): string => processLinkOn(absolute) ?? follow(absolute);

function follow(absolute: string): string {
  try {
    return realpathSync.native(absolute);
  } catch {
    const walk = walkPath(absolute);
    return walk.kind === 'end' ? walk.path : normalizePath(absolute);
  }
}

/** Works as `resolveTarget`, but does not follow a link at the end of the path: for commands that act on the link itself. */
export function resolveItself(absolute: string): string {
  const plain = absolute.replace(/\/+$/, '');
  const cut = plain.lastIndexOf('/');
  const name = plain.slice(cut + 1);
  // For `x/..`, `x/.` and `x/`, the kernel follows the link x.
  if (cut < 0 || name === '' || name === '.' || name === '..' || plain !== absolute) return resolveTarget(absolute);
  return normalizePath(`${resolveTarget(plain.slice(0, cut) || '/')}/${name}`);
}

/**
 * Returns a path from one of git's files as an absolute path. A path with `..` becomes its real path, so that the result has no `..`. A
 * path without `..` keeps its links.
 * @param from the directory against which a relative path is resolved
 */
export function pathFrom(from: string, text: string): string {
  const path = joinedPath(from, text);
  return path.split('/').includes('..') ? resolveTarget(path) : path;
}
