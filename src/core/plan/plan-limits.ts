/** What a plan may hold: a human reads all of it on one card. */
export const MAX_PLAN_PARTS = 30;
export const MAX_PART_USES = 1_000;
export const MAX_PART_TEXT = 8_192;
export const MAX_PART_PATHS = 20;
/** 30 days. */
export const MAX_PLAN_MS = 30 * 86_400_000;
