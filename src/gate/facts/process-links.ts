/**
 * Finds links in /proc whose target depends on the process that follows them: the line's process would reach another file than this
 * process.
 */
import { lstatSync, readlinkSync, type Stats } from 'node:fs';

/** The directory of a process or of a thread, and the names in it that are such links or contain them. */
const OF_PROCESS = /^\/proc\/(?:self|thread-self|\d+)(?:\/task\/\d+)?$/;
const LINKS: ReadonlySet<string> = new Set(['cwd', 'root', 'exe', 'fd', 'fdinfo', 'map_files', 'ns', 'task']);
const MAX_HOPS = 40;

/**
 * Follows the other links of an absolute path, and returns the path of the first such link: `/proc/self/cwd` for `/proc/self/cwd/../x`,
 * `/proc/self/fd` for `/dev/stdin`. Does not replace `self` by a process number. Returns null if there is no such link, or if more than 40
 * links come before it: Linux refuses such a path.
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
