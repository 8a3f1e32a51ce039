/** Finds real paths, also of files that do not exist yet. */
import { lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { normalizePath } from '../../core/effects/command-context.ts';
import { processLinkOn } from './process-links.ts';

/**
 * Follows the links in the part of the path that exists; in the rest, resolves `.` and `..` by the text. A dangling link resolves to
 * its target. If the path contains a link whose target depends on the process (`processLinkOn`), the result is the path of that link.
 */
export const resolveTarget = (absolute: string): string => processLinkOn(absolute) ?? follow(absolute, 0);

function follow(absolute: string, hops: number): string {
  let kept = absolute;
  let missing = '';
  for (;;) {
    try {
      return normalizePath(`${realpathSync.native(kept)}/${missing}`);
    } catch {
      const target = hops < 40 ? linkTarget(kept) : null;
      if (target !== null) return follow(`${target}/${missing}`, hops + 1);
      const cut = kept.replace(/\/+$/, '').lastIndexOf('/');
      if (cut < 0 || kept === '/') return normalizePath(absolute);
      missing = `${kept.slice(cut + 1)}/${missing}`;
      kept = cut === 0 ? '/' : kept.slice(0, cut);
    }
  }
}

/** Returns the target of a link, whether it exists or not; null if the path is not a link. */
function linkTarget(path: string): string | null {
  try {
    const plain = path.replace(/\/+$/, '');
    return lstatSync(plain).isSymbolicLink() ? resolve(dirname(plain), readlinkSync(plain)) : null;
  } catch {
    return null;
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
