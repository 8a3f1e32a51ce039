/** What a command name means now, in this shell; for a file, also whether a user other than root could replace the file. */
import type { ResolutionSchema } from '../wire/host-facts.ts';
import type { Shape } from '../wire/schema-parts.ts';

/** A file or directory whose writers could replace the resolved file. `by` names the writers: the `user` who runs the command, or `others`. */
export type Writable = (Resolution & { kind: 'file' })['writable'][number];

/**
 * - `file`: `path` as it was found; `realPath` without symbolic links. `writable` lists what a user other than root can change: the file,
 *   and the directories on the way to the file, also through links. If `writable` is not empty, a standing grant covers the file only if
 *   the grant names the file. If `others` can change an entry, no standing grant covers the file
 * - `not found`: the file does not exist, is a directory, or is not executable (bash would give the status 126 or 127). Or bash has no
 *   builtin of this name
 * - `unsure`: the command possibly runs another file than the lookup finds, or the name cannot be looked up; no standing grant covers this
 *   command
 */
export type Resolution = Shape<typeof ResolutionSchema>;

/**
 * @property cwd     absolute
 * @property entries the report of a session's bash, or the environment of a one-shot call. The keys are names of variables (`PATH`,
 *                   `BASH_FUNC_NAME%%`), `alias NAME` and `function NAME` (value: the text), `hash NAME` (value: the file), and
 *                   `disabled NAME` for a disabled builtin
 */
export interface Surroundings {
  readonly cwd: string;
  readonly entries: ReadonlyMap<string, string>;
}

const KEYWORDS: ReadonlySet<string> = new Set(
  '! case coproc do done elif else esac fi for function if in select then time until while { } [[ ]]'.split(' '),
);

/** @param source the word as written in the line: a quoted word is no keyword */
export const isKeyword = (source: string): boolean => KEYWORDS.has(source);
