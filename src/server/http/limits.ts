/** Bounds that several routes share. */

/** A command of 1 MB, its arguments and its environment fit, also when JSON escapes much of it. In bytes. */
export const ASK_BODY_LIMIT = 4 * 1024 * 1024;

/** Whoever opens more streams, or keeps more connections, than these takes nothing from the others. */
export const MAX_STREAMS_PER_SUBJECT = 500;
