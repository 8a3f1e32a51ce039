/** Paths with their links followed as far as they are there; what is not there yet counts as it is written; links of a process end the path. */
import { lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { normalizePath } from '../../core/effects/command-context.ts';
import { processLinkOn } from './process-links.ts';

/** As far as the path is there, links are followed; the rest is undone by its text. A dangling link counts as its target. */
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

/** Of a link whose target is not there: where it points. */
function linkTarget(path: string): string | null {
  try {
    const plain = path.replace(/\/+$/, '');
    return lstatSync(plain).isSymbolicLink() ? resolve(dirname(plain), readlinkSync(plain)) : null;
  } catch {
    return null;
  }
}

export function resolveItself(absolute: string): string {
  const plain = absolute.replace(/\/+$/, '');
  const cut = plain.lastIndexOf('/');
  const name = plain.slice(cut + 1);
  // `x/..` and a slash at the end mean what is behind the link.
  if (cut < 0 || name === '' || name === '.' || name === '..' || plain !== absolute) return resolveTarget(absolute);
  return normalizePath(`${resolveTarget(plain.slice(0, cut) || '/')}/${name}`);
}
