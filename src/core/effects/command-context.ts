/** What the effects of a command depend on: the place where the command would run. */

import type { RuleBook } from '../rules/rule.ts';
import type { NamePattern } from '../text/name-pattern.ts';
import type { MatchedNameSchema } from '../wire/host-facts.ts';
import type { Shape } from '../wire/schema-parts.ts';

/**
 * @property cwd          absolute; null when it is not known, as behind a `cd` in the same line
 * @property home         what `~` becomes: absolute, or null
 * @property resolvePath  an absolute path without `.`, `..` and symbolic links; `itself` keeps a link at the end, for
 *                        what deletes or replaces the link and not what it points to. A path that is not there yet
 *                        resolves as far as it is.
 * @property repositoryOf the git repository's top around a directory; null when there is none
 * @property recordsOf   directories where git keeps its record for that repository, where it is not `.git` at its top: a linked work
 *                        tree, a submodule. Without it there are none
 * @property hasLinksOut  whether a symbolic link in `directory`, at most `depth` levels down, leads out of it; in doubt
 *                        true. Without it, links below a pattern's directory are not looked for.
 * @property isBareRepository whether git, started there, would take a directory for a repository that is not called `.git`
 * @property hiddenBelow  hidden names, and dangerous ones, at any depth below a directory; null where that cannot be said
 * @property matchesOf    the names below `directory` that bash may take for the pattern now; null where that cannot be
 *                        said. Without it, the names are not known.
 * @property earlier      what commands of the same line may have put in places by then; absent: nothing
 * @property variables    names that have a value before the line runs; absent: not known
 * @property tool         what the name was resolved to, where the caller knows better than the name; null for a program
 *                        that has no rules
 */
export interface CommandContext {
  readonly rules: RuleBook;
  readonly cwd: string | null;
  readonly home: string | null;
  readonly resolvePath: (absolute: string, end: 'target' | 'itself') => string;
  readonly repositoryOf: (directory: string) => string | null;
  readonly recordsOf?: (directory: string) => readonly string[];
  readonly hasLinksOut?: (directory: string, depth: number) => boolean;
  readonly isBareRepository?: (directory: string) => boolean;
  readonly hiddenBelow?: (directory: string) => readonly string[] | null;
  readonly matchesOf?: (directory: string, pattern: NamePattern) => readonly MatchedName[] | null;
  readonly earlier?: Earlier;
  readonly variables?: ReadonlySet<string>;
  readonly tool?: string | null;
}

/**
 * What looking now does not tell, because the line itself changes it first: at these places, and below them.
 * @property linked       links may lead anywhere
 * @property named        names may look like options
 * @property repositories git may find another repository
 */
export interface Earlier {
  readonly linked: readonly string[];
  readonly named: readonly string[];
  readonly repositories: readonly string[];
}

/**
 * @property name   below the directory, as bash writes it
 * @property target where it leads with all links followed; null: it is what it says
 * @property itself the same, but for a link at its end
 */
export type MatchedName = Shape<typeof MatchedNameSchema>;

/** Without a file system: no links, and a repository where the command runs. */
export const textualContext = (rules: RuleBook, cwd: string | null, home: string | null): CommandContext => ({
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
