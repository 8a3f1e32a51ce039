/**
 * Follows the symbolic links of a path as the kernel does: one name after another. So `..` behind a link is the directory above the link's
 * target. `resolve` of node:path always drops `x/..` from the text, even if x is a link.
 */
import { lstatSync, readlinkSync } from 'node:fs';

/** Linux refuses a path with more links. */
const MAX_LINKS = 40;

/**
 * How a walk has ended.
 * - `end`: at the end of the path; `path` is absolute, without `..`, and without links except those that `isKept` keeps
 * - `stopped`: at the first path for which `isWanted` is true
 * - `too many links`: the path has more than `MAX_LINKS` links
 */
export type PathWalk =
  | { readonly kind: 'end' | 'stopped'; readonly path: string }
  | { readonly kind: 'too many links' };

/**
 * Walks along an absolute path. A name that does not exist, or that cannot be looked at, counts as a directory.
 * @param isWanted called with each path on the way; for a link, before the walk follows the link
 * @param isKept   whether a link stays in the path, as if it were a directory
 */
export function walkPath(
  absolute: string,
  isWanted: (path: string) => boolean = () => false,
  isKept: (path: string) => boolean = () => false,
): PathWalk {
  // Names are bytes, and latin1 keeps every byte. UTF-8 would change a target that is not valid UTF-8.
  const waiting = namesOf(Buffer.from(absolute));
  let at = '';
  for (let links = 0; ; ) {
    const name = waiting.pop();
    if (name === undefined) return { kind: 'end', path: at === '' ? '/' : textOf(at) };
    if (name === '' || name === '.') continue;
    if (name === '..') {
      at = at.slice(0, Math.max(at.lastIndexOf('/'), 0));
      continue;
    }
    const next = `${at}/${name}`;
    const path = textOf(next);
    if (isWanted(path)) return { kind: 'stopped', path };
    const target = isKept(path) ? null : targetOf(next);
    if (target === null) at = next;
    else if (++links > MAX_LINKS) return { kind: 'too many links' };
    else {
      waiting.push(...namesOf(target));
      if (target[0] === SLASH) at = '';
    }
  }
}

const SLASH = 0x2f;
/** Returns the names in the path, the last one first. */
const namesOf = (path: Buffer): string[] => path.toString('latin1').split('/').reverse();
const textOf = (bytes: string): string => Buffer.from(bytes, 'latin1').toString('utf8');

/** Returns the target of a link; null if the path is not a link, or cannot be looked at. */
function targetOf(path: string): Buffer | null {
  const bytes = Buffer.from(path, 'latin1');
  try {
    return lstatSync(bytes, { throwIfNoEntry: false })?.isSymbolicLink() === true
      ? readlinkSync(bytes, 'buffer')
      : null;
  } catch {
    return null;
  }
}

/**
 * Returns the absolute path of `path`, which can be relative to the absolute `directory`. Keeps each `..`: if x is a link, `x/..` is the
 * directory above the link's target.
 */
export function joinedPath(directory: string, path: string): string {
  const whole = path.startsWith('/') ? path : `${directory}/${path}`;
  return `/${whole
    .split('/')
    .filter((name) => name !== '' && name !== '.')
    .join('/')}`;
}
