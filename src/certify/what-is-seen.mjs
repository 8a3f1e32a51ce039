/** What a case tells: a fault that opens the gate, one that only breaks it, and what could not be seen at all. */

/** What should have happened did not; whether something ran that should not is looked for besides. */
export class Fault extends Error {}

/** Something happened that no grant covers. */
export class Opening extends Fault {}

/** Nothing can be said: the harness did not come so far. */
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
