/** The limits of a plan: a human must be able to read it on one card. The length of a text is in UTF-16 code units. */
export const MAX_PLAN_PARTS = 30;
export const MAX_PART_USES = 1_000;
export const MAX_PART_TEXT = 8_192;
export const MAX_PART_PATHS = 20;
/** The longest time to the end of a plan: 30 days. A `for` counts from the approval, an `until` from the filing. */
export const MAX_PLAN_MS = 30 * 86_400_000;
