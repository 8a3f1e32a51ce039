/** A pool of PostgreSQL connections that never lends a broken connection. A connection that breaks in use is closed, not used again. */
import type { PostgresPool, PostgresPoolClient } from 'kysely';
import type { Pool, PoolClient, QueryConfig } from 'pg';
import type { StatementNames } from './statement-names.ts';

/**
 * Whether a prepared statement of the connection is out of date, because a newer version of this program has migrated the database since.
 * PostgreSQL then refuses the statement on this connection each time ("cached plan must not change result type").
 */
export function isOutdatedPlan(error: unknown): boolean {
  const { code, routine } = (error ?? {}) as { readonly code?: unknown; readonly routine?: unknown };
  return code === '0A000' && routine === 'RevalidateCachedQuery';
}

/**
 * Whether the server only refused the statement, so that the connection still works. After any other error the state of the connection is
 * unknown. An outdated plan is no plain refusal, because the connection would refuse the statement each time.
 */
const isPlainRefusal = (error: unknown): boolean =>
  (error as { severity?: unknown } | null)?.severity === 'ERROR' && !isOutdatedPlan(error);

/** The code of the error for a call that got no connection in time, because all are in use. */
export const POOL_BUSY = 'APE_POOL_BUSY';

/**
 * Lends connections. After a statement without an answer (a restart, a failover, a stalled disk), the connection possibly still has an open
 * transaction, and the answer can come later. If such a connection were used again, the next transaction would commit the statements of the
 * old one.
 *
 * @param answerMs how long an answer may take; null: no limit
 * @param names    the names of prepared statements, which each connection parses once
 */
export function poolWithoutBroken(pool: Pool, answerMs: () => number | null, names: StatementNames): PostgresPool {
  // An idle connection that the server closes emits an error, which would end the process without this listener. The pool replaces the connection.
  pool.on('error', () => {});
  // A connection in use needs a listener too; the statement that waits on the connection fails with the error.
  pool.on('connect', (client) => client.on('error', () => {}));
  return {
    async connect() {
      const client = await connectionOf(pool);
      let brokenBy: Error | null = null;
      const lent = {
        async query(text: string, parameters: readonly unknown[]) {
          if (brokenBy !== null) throw brokenBy; // a rollback would get no answer either
          try {
            const query_timeout = answerMs() ?? undefined;
            const query = { name: names.of(text, parameters), text, values: [...parameters], query_timeout };
            return await client.query(query as QueryConfig);
          } catch (error) {
            if (!isPlainRefusal(error)) brokenBy = error as Error;
            throw error;
          }
        },
        release: () => client.release(brokenBy !== null),
      };
      return lent as unknown as PostgresPoolClient;
    },
    end: () => pool.end(),
  };
}

async function connectionOf(pool: Pool): Promise<PoolClient> {
  try {
    return await pool.connect();
  } catch (error) {
    // pg gives the same message for an unreachable server and for a busy pool; only in a busy pool are all connections in use.
    if (pool.totalCount >= pool.options.max && (error as { code?: unknown }).code === undefined)
      throw Object.assign(new Error('all connections are in use'), { code: POOL_BUSY });
    throw error;
  }
}
