/** The limits of a plan, which a human must be able to read on one card. Texts are in UTF-16 code units. */
export const MAX_PLAN_PARTS = 30;
export const MAX_PART_USES = 1_000;
export const MAX_PART_TEXT = 8_192;
export const MAX_PART_PATHS = 20;
/** 30 days. */
export const MAX_PLAN_MS = 30 * 86_400_000;
