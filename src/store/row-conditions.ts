/**
 * For queries that find rows by a key, and then compare the state or the kind. For an expression, PostgreSQL cannot use the index of
 * states or kinds. With old statistics, PostgreSQL would prefer that index, and read all rows of one state or kind.
 */

/** The state of a grant. */
export const STATE_OF_ROW = `(state || '')`;

/** The kind of an event. */
export const KIND_OF_ROW = `(kind || '')`;
