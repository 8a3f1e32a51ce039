/**
 * Git takes most of its paths for patterns, pathspecs (gitglossary(7)): `git rm 's*t'` deletes every file below the working directory whose
 * path matches. A star also matches a slash.
 */
import { isAtOrBelow } from '../files/file-operation.ts';
import type { KnownPath } from './known-path.ts';

/** The commands of git whose paths are no patterns. */
const PLAIN: ReadonlySet<string> = new Set(['git mv']);

export const takesPathspecs = (tool: string, operation: string): boolean => tool === 'git' && !PLAIN.has(operation);

/** A backslash counts too: `secre\\t` matches `secret`. */
const SPECIAL = /[*?[\\]/;

/**
 * Returns the directory of all files that the pattern may match, with all that is below it; null if the path is no pattern. Git takes the
 * names of its working directory as they are.
 * @param own the real path of the working directory; null: not known
 */
export function directoryOfPathspec(path: string, own: string | null): KnownPath | null {
  const start = own !== null && isAtOrBelow(path, own) ? own.length : 0;
  const at = path.slice(start).search(SPECIAL);
  return at < 0 ? null : { value: path.slice(0, path.lastIndexOf('/', start + at)) || '/', isExact: false };
}
