/**
 * Finds links in /proc whose target depends on a process: for `self` and `thread-self`, on the process that follows the link; for a number,
 * on the process with this number. If a command of the line and our process follow a link below `self`, they reach different files.
 */
import { walkPath } from '../../platform/path-walk.ts';

/** The directory of a process or of a thread. */
const OF_PROCESS = /^\/proc\/(?:self|thread-self|\d+)(?:\/task\/\d+)?$/;
/** In the directory of a process or a thread: a link whose target depends on the process, or a directory of such links. */
const LINK = /^\/proc\/(?:self|thread-self|\d+)(?:\/task\/\d+)?\/(?:cwd|root|exe|fd|fdinfo|map_files|ns|task)$/;

/**
 * Walks along an absolute path, and returns the first path on the way that matches `LINK`. Examples: `/proc/self/cwd` for
 * `/proc/self/cwd/../x`, `/proc/self/fd` for `/dev/stdin`. Follows the links on the way, but does not replace `self` by a process number.
 * Returns null if no path matches. Also returns null after more than 40 links, because Linux refuses such a path.
 */
export function processLinkOn(absolute: string): string | null {
  const walk = walkPath(
    absolute,
    (path) => LINK.test(path),
    (path) => OF_PROCESS.test(path),
  );
  return walk.kind === 'stopped' ? walk.path : null;
}
