/** How many decisions one signature may seal. A single decision has a seal of its own. */
export const MIN_IN_BATCH = 2;
export const MAX_IN_BATCH = 50;
