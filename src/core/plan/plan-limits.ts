/** Limits of a plan: a human must be able to read the plan on one card. Text lengths are in UTF-16 code units. */
export const MAX_PLAN_PARTS = 30;
export const MAX_PART_USES = 1_000;
export const MAX_PART_TEXT = 8_192;
export const MAX_PART_PATHS = 20;
/** A plan lasts at most 30 days. With `for`, the days are counted from the approval. With `until`, the days are counted from the filing. */
export const MAX_PLAN_MS = 30 * 86_400_000;
