/** Makes the queries that select grants and uses, the newest first. */
import { type ExpressionBuilder, type Kysely, sql } from 'kysely';
import type { GrantState } from '../core/grant/grant.ts';
import type { Tables } from './sql-tables.ts';
import type { GrantFilter, UseFilter } from './store.ts';

export const LIVE_STATES = ['pending', 'approved'] as const;

/**
 * Selects grants by all members of the filter except `isStanding` (see `standingGrants`).
 * @param createdAtMs the column, or an expression with the same value. With an expression, the database uses no index on the column
 */
export function filteredGrants(db: Kysely<Tables>, filter: GrantFilter, createdAtMs = sql<number>`created_at_ms`) {
  let query = db.selectFrom('grants').orderBy(createdAtMs, 'desc').orderBy('id').limit(filter.limit);
  const { requesterId, beforeMs, beforeId, idPrefix, states, nowMs } = filter;
  if (idPrefix !== undefined) query = query.where(sql<boolean>`substr(id, 1, ${idPrefix.length}) = ${idPrefix}`);
  if (requesterId !== undefined) query = query.where('requester_id', '=', requesterId);
  if (beforeMs !== undefined && beforeId === undefined) query = query.where(createdAtMs, '<', beforeMs);
  if (beforeMs !== undefined && beforeId !== undefined)
    query = query
      .where(createdAtMs, '<=', beforeMs)
      .where((is) => is.or([is(createdAtMs, '<', beforeMs), is('id', '>', beforeId)]));
  if (filter.isPlan === true) query = query.where('part_uses', 'is not', null);
  if (states !== undefined) query = query.where((is) => is.or(states.map((state) => inState(is, state, nowMs))));
  return query;
}

/** Selects by the state at `nowMs`. The stored state is not enough: it stays `pending` or `approved` after the expiry. */
function inState(is: ExpressionBuilder<Tables, 'grants'>, state: GrantState, nowMs: number) {
  if (state === 'expired') return is.and([is('state', 'in', LIVE_STATES), is('lapses_at_ms', '<=', nowMs)]);
  if (state !== 'pending' && state !== 'approved') return is('state', '=', state);
  return is.and([is('state', '=', state), is.or([is('lapses_at_ms', 'is', null), is('lapses_at_ms', '>', nowMs)])]);
}

export function filteredUses(db: Kysely<Tables>, { beforeMs, beforeSeq = 0, limit }: UseFilter) {
  let query = db
    .selectFrom('events')
    // The database uses the partial index only if this text is the same as the condition of the index.
    .where(sql<boolean>`kind in ('grant.used', 'policy.used', 'policy.vetoed')`);
  if (beforeMs !== undefined)
    query = query
      .where('at_ms', '<=', beforeMs)
      .where((is) => is.or([is('at_ms', '<', beforeMs), is('seq', '<', beforeSeq)]));
  return query.orderBy('at_ms', 'desc').orderBy('seq', 'desc').limit(limit);
}
