/** One signature seals all decisions of a batch. These are the fewest and most decisions. A single decision is not sealed as a batch. */
export const MIN_IN_BATCH = 2;
export const MAX_IN_BATCH = 50;
