/** What a name means at this moment, in this shell; for a file, also the users who could replace it. */
import type { ResolutionSchema } from '../wire/host-facts.ts';
import type { Shape } from '../wire/schema-parts.ts';

/** A user who could put another file there. `user`: the user that the command runs as. */
export type Writable = (Resolution & { kind: 'file' })['writable'][number];

/**
 * - `file`: `path` as it was found, `realPath` without symbolic links; `writable` names the file and every directory on
 *           the way (also of the links) that a user other than root can change: a standing grant for such a file must
 *           say so
 * - `not found`: also for files that are not executable, and for directories; bash would say 126 or 127
 * - `unsure`: something on the way depends on where one stands, or cannot be looked at; never good for a standing grant
 */
export type Resolution = Shape<typeof ResolutionSchema>;

/**
 * @property cwd     absolute
 * @property entries what bash reported, or the environment of a one-shot: `PATH`, `alias NAME`, `function NAME`,
 *                   `disabled NAME`, `hash NAME`, `BASH_FUNC_NAME%%`
 */
export interface Surroundings {
  readonly cwd: string;
  readonly entries: ReadonlyMap<string, string>;
}

const KEYWORDS: ReadonlySet<string> = new Set(
  '! case coproc do done elif else esac fi for function if in select then time until while { } [[ ]]'.split(' '),
);

/** @param source the word as it stands in the line: a quoted keyword is none, and a quoted alias is not expanded */
export const isKeyword = (source: string): boolean => KEYWORDS.has(source);
