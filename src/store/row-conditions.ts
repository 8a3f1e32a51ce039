/**
 * SQL for conditions on a row that a query finds by a key. Each is an expression in place of the column. For a comparison with the column
 * itself, PostgreSQL would use the index of states or kinds if its statistics are from a time with few rows of this state or kind. Then it
 * would read all rows of this state or kind.
 */

/** The state of a grant. */
export const STATE_OF_ROW = `(state || '')`;

/** The kind of an event. */
export const KIND_OF_ROW = `(kind || '')`;
