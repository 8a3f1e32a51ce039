/**
 * The number that keeps a tap from reflex from approving: two digits that stand where the request was made, and that the
 * approver picks out of three. A requester knows it; it protects nothing from a requester, only from a hasty approver.
 */

/** So many wrong picks deny the request. */
export const MAX_WRONG_PICKS = 3;

const DECOYS_A_ROUND = 2;

/**
 * @property number two digits
 * @property decoys the other numbers, for each pick that may be wrong a pair of its own
 * @property wrong  how many picks were wrong
 */
export interface GrantMatch {
  readonly grantId: string;
  readonly number: string;
  readonly decoys: readonly string[];
  readonly wrong: number;
}

/**
 * All numbers differ. The decoys are made once and stored: choices that changed with every look would tell the number, as the
 * one that stays.
 * @param random so many bytes
 */
export function newMatch(grantId: string, random: (bytes: number) => Uint8Array): GrantMatch {
  const drawn = new Set<string>();
  while (drawn.size < 1 + DECOYS_A_ROUND * MAX_WRONG_PICKS) {
    const byte = random(1)[0] ?? 255;
    if (byte < 200) drawn.add(String(byte % 100).padStart(2, '0')); // beyond 200 some numbers would come more often
  }
  const [number = '', ...decoys] = drawn;
  return { grantId, number, decoys, wrong: 0 };
}

/** The three to pick from now, in the order of numbers, which says nothing about which one is meant. */
export function choicesOf({ number, decoys, wrong }: GrantMatch): readonly string[] {
  const from = Math.min(wrong, MAX_WRONG_PICKS - 1) * DECOYS_A_ROUND;
  return [number, ...decoys.slice(from, from + DECOYS_A_ROUND)].toSorted();
}
