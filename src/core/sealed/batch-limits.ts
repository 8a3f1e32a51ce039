/** The limits of a batch: one signature seals this many decisions together. A single decision is not sealed as a batch. */
export const MIN_IN_BATCH = 2;
export const MAX_IN_BATCH = 50;
