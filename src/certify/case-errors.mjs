/** The three errors with which a case ends, one for each bad outcome, and the checks that throw these errors. */

/** Outcome `failed`: something that should happen did not happen. */
export class CaseFault extends Error {}

/** Outcome `open`: something happened that no grant covers. */
export class Opening extends CaseFault {}

/** Outcome `not seen`: the harness did not reach the point at which the case can decide. */
export class NotSeen extends Error {}

/** @type {(holds: unknown, message: string) => asserts holds} */
export const must = (holds, message) => {
  if (!holds) throw new CaseFault(message);
};

/** @type {(happened: unknown, message: string) => void} */
export const mustNot = (happened, message) => {
  if (happened) throw new Opening(message);
};

/** @type {(isSeen: unknown, message: string) => asserts isSeen} */
export const mustSee = (isSeen, message) => {
  if (!isSeen) throw new NotSeen(message);
};
