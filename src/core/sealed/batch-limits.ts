/** The least and the greatest number of decisions in a batch. One signature seals the whole batch. A single decision is no batch. */
export const MIN_IN_BATCH = 2;
export const MAX_IN_BATCH = 50;
