/**
 * What one part of a line would touch right now, for whoever decides. Looked up on the requester's host without running
 * anything: a statement of the requester, to be shown as such, and nothing that a decision is bound to.
 */

/** More items than these are not listed. */
export const MOST_ITEMS = 8;

/**
 * @property what   `deleted by rm -rf build`: what would happen, and which command does it
 * @property count  files, directories, processes, refs, rows or containers, as `what` or the items say; null: not known
 * @property bytes  their size together; null where it is not known, or means nothing
 * @property items  examples or all of it, at most `MOST_ITEMS`, each a path, `PID name, age`, `ref: old → new` or a name
 * @property isCut  counting was stopped by the limit of time or number: it is at least this
 * @property note   what is not known and why, or what else matters; null: nothing to add
 */
export interface Touched {
  readonly what: string;
  readonly count: number | null;
  readonly bytes: number | null;
  readonly items: readonly string[];
  readonly isCut: boolean;
  readonly note: string | null;
}
