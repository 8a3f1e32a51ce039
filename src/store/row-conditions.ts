/**
 * Expressions for queries that find rows by a key, and then compare the state or the kind. PostgreSQL cannot use the index of states or
 * kinds for an expression. With the plain column and old statistics, PostgreSQL would prefer the index of states or kinds to the index of
 * the key, and read all rows of one state or kind.
 */

/** The state of a grant. */
export const STATE_OF_ROW = `(state || '')`;

/** The kind of an event. */
export const KIND_OF_ROW = `(kind || '')`;
