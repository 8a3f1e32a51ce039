/**
 * Finds links in /proc whose target depends on the process that follows them: the line's process would reach another file than this
 * process.
 */
import { walkPath } from '../../platform/path-walk.ts';

/** The directory of a process or of a thread. */
const OF_PROCESS = /^\/proc\/(?:self|thread-self|\d+)(?:\/task\/\d+)?$/;
/** Such a directory, and a name in it that is such a link or contains such links. */
const LINK = /^\/proc\/(?:self|thread-self|\d+)(?:\/task\/\d+)?\/(?:cwd|root|exe|fd|fdinfo|map_files|ns|task)$/;

/**
 * Returns the path of the first link on an absolute path whose target depends on the process, or of the directory of such links:
 * `/proc/self/cwd` for `/proc/self/cwd/../x`, `/proc/self/fd` for `/dev/stdin`. Follows all links before it, but does not replace `self` by
 * a process number. Returns null if there is no such link, or if more than 40 links come before it: Linux refuses such a path.
 */
export function processLinkOn(absolute: string): string | null {
  const walk = walkPath(
    absolute,
    (path) => LINK.test(path),
    (path) => OF_PROCESS.test(path),
  );
  return walk.kind === 'stopped' ? walk.path : null;
}
