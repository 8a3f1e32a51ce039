/** How many decisions one signature may seal as a batch. A single decision is sealed by itself. */
export const MIN_IN_BATCH = 2;
export const MAX_IN_BATCH = 50;
