/** What judging must be told about the place where the command would run. */
import type { RuleBook } from './rule.ts';

/**
 * @property cwd          absolute; null when it is not known, as behind a `cd` in the same line
 * @property home         what `~` becomes: absolute, or null
 * @property resolvePath  an absolute path without `.`, `..` and symbolic links; `itself` keeps a link at the end, for
 *                        what deletes or replaces the link and not what it points to. A path that is not there yet
 *                        resolves as far as it is.
 * @property repositoryOf the git repository's top around a directory; null when there is none
 * @property hasLinksOut  whether a symbolic link in `directory`, at most `depth` levels down, leads out of it; in doubt
 *                        true. Without it, links below a pattern's directory are not looked for.
 * @property tool         what the name was resolved to, where the caller knows better than the name; null for a program
 *                        that has no rules
 */
export interface JudgeContext {
  readonly rules: RuleBook;
  readonly cwd: string | null;
  readonly home: string | null;
  readonly resolvePath: (absolute: string, end: 'target' | 'itself') => string;
  readonly repositoryOf: (directory: string) => string | null;
  readonly hasLinksOut?: (directory: string, depth: number) => boolean;
  readonly tool?: string | null;
}

/** Without a file system: no links, and a repository where the command runs. */
export const textualContext = (rules: RuleBook, cwd: string | null, home: string | null): JudgeContext => ({
  rules,
  cwd,
  home,
  resolvePath: normalizePath,
  repositoryOf: (directory) => directory,
});

/** `.`, `..` and repeated slashes undone by the text alone. */
export function normalizePath(absolute: string): string {
  const kept: string[] = [];
  for (const name of absolute.split('/')) {
    if (name === '..') kept.pop();
    else if (name !== '' && name !== '.') kept.push(name);
  }
  return `/${kept.join('/')}`;
}
