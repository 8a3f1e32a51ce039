/** Where a command would run, as the file system says now: links followed, repositories found. */
import { existsSync, lstatSync, readdirSync, readlinkSync, realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { JudgeContext } from '../core/permission/judge-context.ts';
import { normalizePath } from '../core/permission/judge-context.ts';

/** More entries are not looked at: then a link may be anywhere. */
const MOST_ENTRIES = 2_000;

export const placeOnDisk: Required<Pick<JudgeContext, 'resolvePath' | 'repositoryOf' | 'hasLinksOut'>> = {
  resolvePath: (absolute, end) => (end === 'target' ? resolveTarget(absolute) : resolveItself(absolute)),
  repositoryOf,
  hasLinksOut,
};

/** As far as the path is there, links are followed; the rest is undone by its text. A dangling link counts as its target. */
function resolveTarget(absolute: string, hops = 0): string {
  let kept = absolute;
  let missing = '';
  for (;;) {
    try {
      return normalizePath(`${realpathSync.native(kept)}/${missing}`);
    } catch {
      const target = hops < 40 ? linkTarget(kept) : null;
      if (target !== null) return resolveTarget(`${target}/${missing}`, hops + 1);
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

function resolveItself(absolute: string): string {
  const plain = absolute.replace(/\/+$/, '');
  const cut = plain.lastIndexOf('/');
  const name = plain.slice(cut + 1);
  // `x/..` and a slash at the end mean what is behind the link.
  if (cut < 0 || name === '' || name === '.' || name === '..' || plain !== absolute) return resolveTarget(absolute);
  return normalizePath(`${resolveTarget(plain.slice(0, cut) || '/')}/${name}`);
}

function repositoryOf(directory: string): string | null {
  for (let at = directory; ; at = dirname(at)) {
    if (existsSync(join(at, '.git'))) return at;
    if (at === dirname(at)) return null;
  }
}

function hasLinksOut(directory: string, depth: number): boolean {
  const waiting: [string, number][] = [[directory, 1]];
  let seen = 0;
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [at, level] = next;
    let entries: ReturnType<typeof entriesOf>;
    try {
      entries = entriesOf(at);
    } catch (error) {
      const isAbsent = error instanceof Error && 'code' in error && ['ENOENT', 'ENOTDIR'].includes(String(error.code));
      if (isAbsent) continue;
      return true;
    }
    for (const entry of entries) {
      if (++seen > MOST_ENTRIES) return true;
      const path = join(at, entry.name);
      if (entry.isSymbolicLink() && !isBelow(resolveTarget(path), directory)) return true;
      if (entry.isDirectory() && level < depth) waiting.push([path, level + 1]);
    }
  }
  return false;
}

const entriesOf = (directory: string) => readdirSync(directory, { withFileTypes: true });
const isBelow = (path: string, directory: string): boolean =>
  directory === '/' || path === directory || path.startsWith(`${directory}/`);
