/**
 * SQL for conditions on a row that a query finds by a key. Each is an expression in place of the column. If PostgreSQL's statistics are from
 * a time with few rows of a state or kind, it would use the index of states or kinds for a comparison with the column itself, and read all
 * rows of that state or kind.
 */

/** The state of a grant. */
export const STATE_OF_ROW = `(state || '')`;

/** The kind of an event. */
export const KIND_OF_ROW = `(kind || '')`;
