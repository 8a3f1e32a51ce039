/** Decides whether the text of a search is the beginning of a grant's id. */

/** The letters of an id are random. So a short word can be the beginning of an id by accident, and any word can occur in the middle. */
const BEGINNING_OF_ID = /^g_[a-z0-9]{4,}$/;

/**
 * Returns false if fewer than four characters follow `g_`.
 * @param text in lower case
 */
export const beginsId = (text: string, id: string): boolean => BEGINNING_OF_ID.test(text) && id.startsWith(text);
