/** The errors of a case: `Opening`, `Fault` and `NotSeen`, with the checks that throw them. */

/** Something that should happen did not. Whether something ran without a grant is checked separately. */
export class Fault extends Error {}

/** Something happened that no grant covers. */
export class Opening extends Fault {}

/** The case says nothing, because the harness did not come so far. */
export class NotSeen extends Error {}

/** @type {(holds: unknown, what: string) => asserts holds} */
export const must = (holds, what) => {
  if (!holds) throw new Fault(what);
};

/** @type {(happened: unknown, what: string) => void} */
export const mustNot = (happened, what) => {
  if (happened) throw new Opening(what);
};

/** @type {(isSeen: unknown, what: string) => asserts isSeen} */
export const mustSee = (isSeen, what) => {
  if (!isSeen) throw new NotSeen(what);
};
