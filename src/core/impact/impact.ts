/**
 * One entry of the impact preview of a line, for the approver. The requester's host makes the preview without running the line. The page
 * shows the preview as a claim of the requester. An approval is not bound to the preview.
 */
import type { ImpactSchema } from '../wire/impact.ts';
import type { Shape } from '../wire/schema-parts.ts';

/** The most items of one entry. */
export const MAX_ITEMS = 8;

/**
 * @property what   what is counted, as words that can follow the number: `files and directories deleted by rm -rf build`
 * @property count  the number; null: not known
 * @property bytes  the total size; null: not known, or the things have no size
 * @property items  some or all of the counted things: paths, `4711 node (node server.js, 3 h)`, `main: 1a2b3c4 → 5d6e7f8`
 * @property isCut  whether a limit of time or number stopped the counting; if so, the real number may be higher than `count`
 * @property note   what is not known and why, or another remark; null: no remark
 */
export type Impact = Shape<typeof ImpactSchema>;

/** Makes an impact from the members that are known. The other members become null, empty or false. Only `MAX_ITEMS` items are kept. */
export const impact = (what: string, known: Partial<Omit<Impact, 'what'>>): Impact => ({
  what,
  count: null,
  bytes: null,
  isCut: false,
  note: null,
  ...known,
  items: (known.items ?? []).slice(0, MAX_ITEMS),
});
