/**
 * The number against hasty approvals: two digits that the requester's side shows. The approver picks the number out of three numbers.
 * The requester knows the number, so the number does not protect against the requester.
 */

/** After this many wrong picks the request is denied. */
export const MAX_WRONG_PICKS = 3;

const DECOYS_A_ROUND = 2;

/**
 * @property number two digits
 * @property decoys the wrong numbers, two for each pick
 * @property wrong  how many picks were wrong
 */
export interface GrantMatch {
  readonly grantId: string;
  readonly number: string;
  readonly decoys: readonly string[];
  readonly wrong: number;
}

/**
 * Makes the number and its decoys, which all differ. The decoys are made once and stored. If the decoys changed at each display of the
 * request, only the right number would stay the same.
 * @param random returns the given number of random bytes
 */
export function newMatch(grantId: string, random: (bytes: number) => Uint8Array): GrantMatch {
  const drawn = new Set<string>();
  while (drawn.size < 1 + DECOYS_A_ROUND * MAX_WRONG_PICKS) {
    const byte = random(1)[0] ?? 255;
    if (byte < 200) drawn.add(String(byte % 100).padStart(2, '0')); // with 200 to 255, the numbers 00 to 55 would be drawn more often
  }
  const [number = '', ...decoys] = drawn;
  return { grantId, number, decoys, wrong: 0 };
}

/** Returns the three numbers for the next pick. The numbers are sorted: their order must not reveal the right number. */
export function choicesOf({ number, decoys, wrong }: GrantMatch): readonly string[] {
  const from = Math.min(wrong, MAX_WRONG_PICKS - 1) * DECOYS_A_ROUND;
  return [number, ...decoys.slice(from, from + DECOYS_A_ROUND)].toSorted();
}
