/**
 * SQL for conditions on a row that a query finds by a key. Each is an expression, because PostgreSQL would use an index of states or kinds
 * for a comparison with the column itself if its statistics are from a time with few such rows: it would read all rows with that state
 * or kind.
 */

/** The state of a grant. */
export const STATE_OF_ROW = `(state || '')`;

/** The kind of an event. */
export const KIND_OF_ROW = `(kind || '')`;
