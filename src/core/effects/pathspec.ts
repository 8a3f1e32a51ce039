/**
 * Some programs read their path arguments as patterns. Git calls its patterns pathspecs (gitglossary(7)): `git rm 's*t'` deletes every file
 * whose path below the working directory matches; a star also matches a slash.
 */
import { isAtOrBelow } from '../text/path.ts';
import type { KnownPath } from './known-path.ts';

/** The git commands that do not read their paths as patterns. */
const PLAIN: ReadonlySet<string> = new Set(['git mv']);

/** Programs that expand patterns in their arguments by themselves, also `{a,b}`. bash expands only what is not quoted. */
const EXPAND_GLOBS: ReadonlySet<string> = new Set(['eslint', 'mocha', 'node', 'prettier', 'rubocop']);

/** How a program reads its path arguments: as pathspecs of git, as globs, or as plain paths. */
export type PathReading = 'pathspec' | 'glob' | 'plain';

export function pathReading(tool: string, operation: string): PathReading {
  if (EXPAND_GLOBS.has(tool)) return 'glob';
  return tool === 'git' && !PLAIN.has(operation) ? 'pathspec' : 'plain';
}

/**
 * A path with one of these characters is a pattern. The backslash is one of them: the pathspec `secre\t` matches `secret`. In a glob of a
 * program, `(` is one, too: `@(src|lib)/*.js` matches files in both directories.
 */
const SPECIAL = { pathspec: /[*?[\\]/, glob: /[*?[\\(]/ } as const;

/**
 * Whether a glob has braces, parentheses with a slash in them, or `..` behind a pattern. Such a glob may match paths outside the directory
 * that `directoryOfPattern` returns. For example, `a*b` in `s/a*b/../x.js` may match a link. Then `..` is the parent of the link's target.
 */
export const mayBeSeveral = (text: string): boolean => /\{|\([^)]*\/|[*?[\\(].*\/\.\.(?:\/|$)/s.test(text);

/**
 * Returns the directory that contains all files that the pattern may match; null if the path is not a pattern. The result includes
 * everything below the directory. If an absolute path begins with the working directory, this beginning is not a pattern.
 * @param own the real path of the working directory; null: not known
 */
export function directoryOfPattern(path: string, own: string | null, reading: 'pathspec' | 'glob'): KnownPath | null {
  const start = own !== null && isAtOrBelow(path, own) ? own.length : 0;
  const at = path.slice(start).search(SPECIAL[reading]);
  return at < 0 ? null : { value: path.slice(0, path.lastIndexOf('/', start + at)) || '/', isExact: false };
}
