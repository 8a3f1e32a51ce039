/** What has to be looked up to say what a line would touch. Asking is pure; looking is done on the requester's host. */

/**
 * A path, or a pattern that the shell would expand, absolute either way.
 * @property glob in the notation of `pattern.ts`: `*`, `?`, `[…]`, and `\` in front of what only means itself
 */
export type Target =
  | { readonly kind: 'path'; readonly path: string }
  | { readonly kind: 'pattern'; readonly glob: string };

/** The tests of `find` that are understood; a file has to pass all. Null: no such test. */
export interface FileFilter {
  readonly name: string | null;
  readonly type: 'f' | 'd' | 'l' | null;
  readonly leastDepth: number;
  readonly mostDepth: number;
  readonly isEmpty: boolean;
  /** Whether some tests were not understood: then fewer may be meant. */
  readonly isPartial: boolean;
}

export interface WantedRef {
  /** Null: what is there is deleted. */
  readonly source: string | null;
  readonly target: string;
}

/**
 * - `files`:      what the targets are now. `isTree`: with everything below; otherwise directories are counted only where
 *                 `directories` says so. `unknown`: words that are only known at run time
 * - `emptied`:    existing regular files that would be overwritten
 * - `replaced`:   what lies where the sources would come to lie
 * - `mirrored`:   files in `target` that are not in `source`. `isInto`: the source's own name comes behind the target
 * - `untracked`:  files that git does not know. `ignored`: whether those of .gitignore are left, taken too, or alone taken
 * - `unsaved`:    tracked files that differ from the index. `moves`: the ref that the branch is moved to
 * - `refs`:       here, or at `remote`. `all`: whatever is there
 * - `stashes`:    one, or all
 * - `processes`:  by number; `groups` by the number of the process group
 * - `named`:      processes by name, or by their whole command line
 * - `containers`: by name or id; `unused`: what nothing uses
 * - `rows`:       of tables in an SQLite file
 * - `unknown`:    cannot be looked up at all
 */
export type Question = { readonly what: string } & (
  | {
      readonly kind: 'files';
      readonly targets: readonly Target[];
      readonly unknown: readonly string[];
      readonly isTree: boolean;
      readonly directories: boolean;
      readonly filter: FileFilter | null;
    }
  | { readonly kind: 'emptied'; readonly targets: readonly Target[]; readonly unknown: readonly string[] }
  | { readonly kind: 'replaced'; readonly sources: readonly Target[]; readonly target: Target }
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
      readonly directories: boolean;
      readonly repositories: boolean;
      readonly isPartial: boolean;
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
