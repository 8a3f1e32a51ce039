/** The effects of a command depend on its words, and also on the rule files, the working directory and the host. */

import type { RuleBook } from '../rules/rule.ts';
import type { NamePattern } from '../text/name-pattern.ts';
import type { MatchedNameSchema } from '../wire/host-facts.ts';
import type { Shape } from '../wire/schema-parts.ts';

/** Which hooks or settings of git a lookup is about: see `hasHooks` of `CommandContext`. */
export type HookKind = 'any' | 'record' | 'remote' | 'refspec' | 'upstream' | 'url' | 'sort' | 'editor';

/**
 * @property cwd          absolute; null: not known, for example after some forms of `cd` in the same line
 * @property home         what `~` becomes: absolute; null: not known
 * @property resolvePath  returns an absolute path without `.`, `..` and symbolic links. With `itself`, a link at the end of the path is
 *                        kept, for a command that deletes or replaces the link itself. If the path does not exist, only its existing
 *                        beginning is resolved.
 * @property repositoryOf the top of the git repository around a directory; null: there is no repository
 * @property projectOf    the folder of a tool's project. Each name in `names` chooses at most one folder at or above `path`, and the
 *                        highest of these folders is the project. `project-root.ts` explains the names. Null: no name chooses a folder.
 *                        Absent: projects are not looked for.
 * @property recordsOf    the git directories of the repository around a directory, except `.git` at the top of the work tree. A linked work
 *                        tree and a submodule have such git directories. Absent: no repository has such directories.
 * @property hasHooks     whether git, started in the directory, would run hooks; in doubt true. `record`: hooks that git runs at each
 *                        change of the index or of a ref. `remote`: hooks of a remote repository on this host. `any`: all hooks of the
 *                        repository. Five kinds are about settings, not about hooks: `refspec`, settings that choose the refs that a
 *                        push or a fetch writes; `upstream`, settings that make a push write tracking branches; `url`, settings that
 *                        replace URLs; `sort`, settings that sort branches or tags by their signatures; `editor`, settings of the
 *                        repository that name an unusual editor. Absent: git runs no hooks and has no such settings.
 * @property addsRepository whether `git add` of `trees`, started in the directory, would add a nested repository to the index; in doubt
 *                        true. No trees: git adds everything. `isForced`: git adds ignored files too. Absent: git adds no repository.
 * @property hasLinksOut  whether a symbolic link at most `depth` levels below `directory` leads out of `directory`; in doubt true.
 *                        Absent: such links are not looked for.
 * @property isBareRepository whether git, started in the directory, may use another repository than the nearest `.git`, or another work
 *                            tree than the directory around this `.git`. Absent: git never does.
 * @property sensitiveBelow the relative paths, at any depth below a directory, that are dangerous or belong to secrets. Paths below such a
 *                        path are left out. Null: not known. Absent: such paths are not looked for.
 * @property matchesOf    the names below `directory` to which bash may expand the pattern now. Null: not known, so the pattern
 *                        may mean any path. Absent: names are not looked for; the pattern may mean any path below `directory`.
 * @property hasBsdTools  true: the host perhaps has the tools of macOS or of a BSD. Absent: the host has the GNU tools
 * @property earlier      what other commands of the line may change before this command starts; absent: nothing
 * @property variables    names of the variables that have a value before the line runs; absent: not known
 * @property isRedefined  true: the command's name means an alias or a function, and no tool
 */
export interface CommandContext {
  readonly rules: RuleBook;
  readonly cwd: string | null;
  readonly home: string | null;
  readonly resolvePath: (absolute: string, end: 'target' | 'itself') => string;
  readonly repositoryOf: (directory: string) => string | null;
  readonly projectOf?: (path: string, names: string) => string | null;
  readonly recordsOf?: (directory: string) => readonly string[];
  readonly hasHooks?: (directory: string, which: HookKind) => boolean;
  readonly addsRepository?: (directory: string, trees: readonly string[], isForced: boolean) => boolean;
  readonly hasLinksOut?: (directory: string, depth: number) => boolean;
  readonly isBareRepository?: (directory: string) => boolean;
  readonly sensitiveBelow?: (directory: string) => readonly string[] | null;
  readonly matchesOf?: (directory: string, pattern: NamePattern) => readonly MatchedName[] | null;
  readonly hasBsdTools?: true;
  readonly earlier?: Earlier;
  readonly variables?: ReadonlySet<string>;
  readonly isRedefined?: true;
}

/**
 * Paths that other commands of the line may change before this command starts. For these paths, a lookup before the line runs is not
 * reliable. A directory in these lists includes everything below it.
 * @property linked       directories in which links may lead anywhere
 * @property unlinked     links that may be removed or replaced by a file or directory, and directories that may contain such links
 * @property named        directories in which names may look like options
 * @property moved        directories that may be moved. A process that works in or below such a directory moves, too. The relative paths of
 *                        this process may then lead anywhere
 * @property repositories directories in which git may find another repository
 * @property checkedOut   directories into which git may write the files of a commit. Below such a directory, these files may form a bare
 *                        repository.
 * @property changed      files that may be made or removed; `isTree`: also all below the path
 */
export interface Earlier {
  readonly linked: readonly string[];
  readonly unlinked: readonly string[];
  readonly named: readonly string[];
  readonly moved: readonly string[];
  readonly repositories: readonly string[];
  readonly checkedOut: readonly string[];
  readonly changed: readonly { readonly path: string; readonly isTree: boolean }[];
}

export const NO_EFFECT: Earlier = {
  linked: [],
  unlinked: [],
  named: [],
  moved: [],
  repositories: [],
  checkedOut: [],
  changed: [],
};

/**
 * @property name   the path below the directory, as bash would write it
 * @property target the real path with all links followed; null: the path has no link, so the real path is `name` below the directory
 * @property itself as `target`, but a link at the end is not followed
 */
export type MatchedName = Shape<typeof MatchedNameSchema>;

/** A context without a file system: no links, and every directory is the top of a repository. */
export const textualContext = (rules: RuleBook, cwd: string | null, home: string | null): CommandContext => ({
  rules,
  cwd,
  home,
  resolvePath: normalizePath,
  repositoryOf: (directory) => directory,
});

/** Resolves `.`, `..` and repeated slashes by the text alone. */
export function normalizePath(absolute: string): string {
  const names: string[] = [];
  for (const name of absolute.split('/')) {
    if (name === '..') names.pop();
    else if (name !== '' && name !== '.') names.push(name);
  }
  return `/${names.join('/')}`;
}
