/** A pool of PostgreSQL connections. The pool closes a connection that breaks in use, and never lends it again. */
import type { PostgresPool, PostgresPoolClient } from 'kysely';
import type { Pool, PoolClient, QueryConfig } from 'pg';
import type { StatementNames } from './statement-names.ts';

/**
 * Whether the error says that a prepared statement is out of date. This happens after a newer version of this program has migrated the
 * database. The connection then refuses the statement each time ("cached plan must not change result type").
 */
export function isOutdatedPlan(error: unknown): boolean {
  const { code, routine } = (error ?? {}) as { readonly code?: unknown; readonly routine?: unknown };
  return code === '0A000' && routine === 'RevalidateCachedQuery';
}

/**
 * The SQLSTATEs with which PostgreSQL refuses a statement and keeps the connection: bad data, a broken constraint, a conflict, a bad
 * statement, a lock that is not available, a cancelled statement. 40003 is not in the list: after 40003, the result of the statement is
 * unknown. The severity of an error would also say whether the connection is kept. But pg gives only the translated severity.
 */
const REFUSALS = /^(?:0A000|2[23]...|25006|25P02|40001|40002|40P01|42...|55P03|57014)$/;

/**
 * Whether the server only refused the statement, and the connection still works. After any other error, the state of the connection is
 * unknown. An outdated plan does not count: the connection would refuse the statement again.
 */
export const isPlainRefusal = (error: unknown): boolean => {
  const { code } = (error ?? {}) as { readonly code?: unknown };
  return typeof code === 'string' && REFUSALS.test(code) && !isOutdatedPlan(error);
};

/** The error code of `connect` if all connections stayed in use until the timeout. */
export const POOL_BUSY = 'APE_POOL_BUSY';

/**
 * Lends connections. Never lends a broken connection again. A statement can stay without an answer (a restart, a failover, a stalled
 * disk). In this case, the connection possibly still has an open transaction, and the answer can come later. On the same connection, the
 * next transaction would commit the old statements too.
 *
 * @param answerMs how long an answer may take; null: no limit
 * @param names    the names under which a connection keeps prepared statements
 */
export function poolWithoutBroken(pool: Pool, answerMs: () => number | null, names: StatementNames): PostgresPool {
  // If the server closes an idle connection, the pool emits `error` and replaces the connection. Without a listener, Node would exit.
  pool.on('error', () => {});
  // A connection in use needs a listener too. The waiting statement fails with the error anyway.
  pool.on('connect', (client) => client.on('error', () => {}));
  return {
    async connect() {
      const client = await connectionOf(pool);
      let brokenBy: Error | null = null;
      const lent = {
        async query(text: string, parameters: readonly unknown[]) {
          if (brokenBy !== null) throw brokenBy; // Even a rollback would get no answer.
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
    // pg gives the same message for an unreachable server and for a busy pool. In a busy pool, all connections are in use.
    if (pool.totalCount >= pool.options.max && (error as { code?: unknown }).code === undefined)
      throw Object.assign(new Error('all connections are in use'), { code: POOL_BUSY });
    throw error;
  }
}
