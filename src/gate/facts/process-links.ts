/**
 * Links in /proc whose target differs from process to process: what this process finds there is not what the process of
 * the line would find.
 */
import { lstatSync, readlinkSync, type Stats } from 'node:fs';

/** `cwd`, `root`, `exe` and the descriptors of a process, and of its threads. */
const OF_PROCESS = /^\/proc\/(?:self|thread-self|\d+)(?:\/task\/\d+)?$/;
const LINKS: ReadonlySet<string> = new Set(['cwd', 'root', 'exe', 'fd', 'fdinfo', 'map_files', 'ns', 'task']);
const MAX_HOPS = 40;

/**
 * Finds the first prefix of an absolute path that is such a link, and does not replace `self` in it: `/proc/self/cwd` for
 * `/proc/self/cwd/../x`, `/proc/self/fd` for `/dev/stdin`. Returns null if there is no such link in the path.
 */
export function processLinkOn(absolute: string): string | null {
  let at = '';
  let rest = absolute.split('/');
  for (let hops = 0; rest.length > 0; ) {
    const [name = '', ...more] = rest;
    rest = more;
    if (name === '' || name === '.') continue;
    if (name === '..') {
      at = at.slice(0, Math.max(at.lastIndexOf('/'), 0));
      continue;
    }
    const next = `${at}/${name}`;
    if (OF_PROCESS.test(at) && LINKS.has(name)) return next;
    const target = OF_PROCESS.test(next) ? null : targetOf(next);
    if (target === null) at = next;
    else if (++hops > MAX_HOPS) return null;
    else {
      rest = [...target.split('/'), ...rest];
      if (target.startsWith('/')) at = '';
    }
  }
  return null;
}

function targetOf(path: string): string | null {
  try {
    const found: Stats | undefined = lstatSync(path, { throwIfNoEntry: false });
    return found?.isSymbolicLink() === true ? readlinkSync(path) : null;
  } catch {
    return null;
  }
}
