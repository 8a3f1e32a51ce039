/** The types of the questions of an impact preview. The requester's host looks up the answers. */

/**
 * A path, or a glob that the shell would expand; both absolute.
 * @property isThrough whether the word ends with a slash. If so, the command follows a link: `rm -r LINK/` deletes what is behind the link
 * @property parentsBelow a directory: the command also deletes the parents of the target that are below this directory, if they become
 *                        empty (`rmdir -p`)
 * @property glob in the notation of `pattern.ts`: `*`, `?`, `[…]`, and `\` in front of a literal character
 */
export type Target = { readonly isThrough?: true; readonly parentsBelow?: string } & (
  | { readonly kind: 'path'; readonly path: string }
  | { readonly kind: 'pattern'; readonly glob: string }
);

/**
 * The tests of `find` that the preview evaluates. A file must pass all tests. A null member is no test. `name` is a glob. The starting
 * point has depth 0; `mostDepth` may be infinite.
 */
export interface FileFilter {
  readonly name: string | null;
  readonly type: 'f' | 'd' | 'l' | null;
  readonly leastDepth: number;
  readonly mostDepth: number;
  readonly isEmpty: boolean;
  /** Whether `find` stays on the file system of the starting point (`-xdev`). A mount point counts, but nothing below it. */
  readonly isOneFileSystem: boolean;
  /** Whether `find` has further tests, which the preview does not evaluate. If so, `find` may find fewer files than this filter. */
  readonly isPartial: boolean;
}

/** A ref that the line changes. */
export interface WantedRef {
  /** The ref or commit to which the line sets the target; null: the line deletes the target. */
  readonly source: string | null;
  readonly target: string;
}

/**
 * What to look up, by kind. `what` is the title of the answer on the card. `note` is a remark for the answer; null: none. With `isPartial`,
 * the command has options or tests that the preview does not evaluate. So the command may touch less than the preview says.
 * - `files`:      the files that are the targets. With `isTree`, everything below the targets counts too. Without `isTree`, a directory
 *                 counts only with `countsDirectories`. `unknown`: the words that are only known at run time. With `followsLinks`, the file
 *                 behind a link counts in place of the link
 * - `emptied`:    regular files with content, and block devices, that would be overwritten
 * - `replaced`:   files at the paths to which the sources would be moved or copied. With `followsLinks`, the file behind a link counts in
 *                 place of the link
 * - `mirrored`:   files in `target` that no source has. `isInto`: the command adds the source's own name to the path `target`
 * - `untracked`:  files that git does not track; with `includesDirectories`, also in untracked directories; with `includesRepositories`,
 *                 also in nested repositories. Without `targets`, all such files below `directory` count. `ignored` is `kept`: ignored
 *                 files do not count; `too`: ignored files count too; `only`: only ignored files count. `force` is `given`: the line has
 *                 `-f`; `not given`: git deletes nothing, unless a settings file says otherwise; `perhaps`: the line has no `-f`, but may
 *                 change the setting `clean.requireForce`. `setsExcludes`: the line may change the setting `core.excludesFile`
 * - `unsaved`:    tracked files that differ from the index; without `targets`, in the whole repository. `moves`: the ref or commit to which
 *                 the command moves the branch; null: the command names no ref or commit
 * - `refs`:       refs at `remote`, or in the repository at `directory` if `remote` is null. `current`: only the branch that is checked
 *                 out; `all`: every ref of the remote, as last fetched; a list: the refs in the list
 * - `stashes`:    one stash, no matter which; with `isAll`, all stashes
 * - `processes`:  the processes with the process IDs `pids`, and the processes in the process groups `groups`. `isEverything`: all
 *                 processes that this user may signal
 * - `named`:      processes whose name or command line contains `name`. With `isWhole`, the whole name or command line must be `name`. With
 *                 `isPattern`, these characters of `name` are special: a dot, `^` at the beginning, and `$` at the end
 * - `containers`: containers, images or volumes. `unused` is `no`: only things with these names or ids; `yes`: the things that a prune
 *                 deletes; `all`: also each image that no container uses
 * - `rows`:       rows of tables in an SQLite file
 * - `unknown`:    a part of the line that cannot be looked up
 */
export type Question = { readonly what: string } & (
  | {
      readonly kind: 'files';
      readonly targets: readonly Target[];
      readonly unknown: readonly string[];
      readonly isTree: boolean;
      readonly countsDirectories: boolean;
      readonly followsLinks: boolean;
      readonly filter: FileFilter | null;
    }
  | { readonly kind: 'emptied'; readonly targets: readonly Target[]; readonly unknown: readonly string[] }
  | {
      readonly kind: 'replaced';
      readonly sources: readonly Target[];
      readonly target: Target;
      readonly followsLinks: boolean;
    }
  | {
      readonly kind: 'mirrored';
      readonly sources: readonly { readonly directory: string; readonly isInto: boolean }[];
      readonly target: string;
      readonly isPartial: boolean;
    }
  | {
      readonly kind: 'untracked';
      readonly directory: string;
      readonly targets: readonly Target[];
      readonly ignored: 'kept' | 'too' | 'only';
      readonly includesDirectories: boolean;
      readonly includesRepositories: boolean;
      readonly isPartial: boolean;
      readonly setsExcludes: boolean;
      readonly force: 'given' | 'perhaps' | 'not given';
    }
  | {
      readonly kind: 'unsaved';
      readonly directory: string;
      readonly targets: readonly Target[];
      readonly moves: string | null;
    }
  | {
      readonly kind: 'refs';
      readonly directory: string;
      readonly remote: string | null;
      readonly refs: readonly WantedRef[] | 'current' | 'all';
    }
  | { readonly kind: 'stashes'; readonly directory: string; readonly isAll: boolean }
  | {
      readonly kind: 'processes';
      readonly pids: readonly number[];
      readonly groups: readonly number[];
      readonly isEverything: boolean;
      readonly note: string | null;
    }
  | {
      readonly kind: 'named';
      readonly name: string;
      readonly by: 'name' | 'command line';
      readonly isWhole: boolean;
      readonly isPattern: boolean;
      readonly ignoresCase: boolean;
      readonly isPartial: boolean;
    }
  | {
      readonly kind: 'containers';
      readonly tool: 'docker' | 'podman';
      readonly of: 'containers' | 'images' | 'volumes';
      readonly names: readonly string[];
      readonly unused: 'no' | 'yes' | 'all';
      readonly note: string | null;
    }
  | {
      readonly kind: 'rows';
      readonly database: Target;
      readonly tables: readonly string[];
      readonly note: string | null;
    }
  | { readonly kind: 'unknown'; readonly note: string }
);
