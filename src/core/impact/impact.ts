/**
 * What one part of a line would touch right now, for the approver. Looked up on the requester's host without running
 * anything: a statement of the requester, to be shown as such, and nothing that a decision is bound to.
 */
import type { ImpactSchema } from '../wire/impact.ts';
import type { Shape } from '../wire/schema-parts.ts';

/** More items than these are not listed. */
export const MAX_ITEMS = 8;

/**
 * @property what   what is counted, to be read behind the number: `files and directories deleted by rm -rf build`
 * @property count  how many; null: not known
 * @property bytes  their size together; null where it is not known, or means nothing
 * @property items  examples, or all of them: paths, `4711 node (node server.js, 3 h)`, `main: 1a2b3c4 → 5d6e7f8`
 * @property isCut  the limit of time or number stopped the counting: there are at least `count`
 * @property note   what is not known and why, or what else matters; null: nothing to add
 */
export type Impact = Shape<typeof ImpactSchema>;

/** The parts that are known; the rest says that nothing is. */
export const impact = (what: string, known: Partial<Omit<Impact, 'what'>>): Impact => ({
  what,
  count: null,
  bytes: null,
  isCut: false,
  note: null,
  ...known,
  items: (known.items ?? []).slice(0, MAX_ITEMS),
});
