/**
 * Git reads most of its path arguments as patterns, called pathspecs (gitglossary(7)). `git rm 's*t'` deletes every file whose path below
 * the working directory matches. A star also matches a slash.
 */
import { isAtOrBelow } from '../files/file-operation.ts';
import type { KnownPath } from './known-path.ts';

/** The git commands that do not read their paths as patterns. */
const PLAIN: ReadonlySet<string> = new Set(['git mv']);

export const takesPathspecs = (tool: string, operation: string): boolean => tool === 'git' && !PLAIN.has(operation);

/** The backslash is special, too: the pathspec `secre\t` matches `secret`. */
const SPECIAL = /[*?[\\]/;

/**
 * Returns the directory that contains all files that the pattern may match; null if the path is not a pattern. The result includes
 * everything below the directory. If an absolute path begins with the working directory, git does not read this beginning as a pattern.
 * @param own the real path of the working directory; null: not known
 */
export function directoryOfPathspec(path: string, own: string | null): KnownPath | null {
  const start = own !== null && isAtOrBelow(path, own) ? own.length : 0;
  const at = path.slice(start).search(SPECIAL);
  return at < 0 ? null : { value: path.slice(0, path.lastIndexOf('/', start + at)) || '/', isExact: false };
}
