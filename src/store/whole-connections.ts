/** A pool of PostgreSQL connections that never lends a broken connection: if one breaks in use, it is closed and breaks no other work. */
import type { PostgresPool, PostgresPoolClient } from 'kysely';
import type { Pool, PoolClient, QueryConfig } from 'pg';

/** Whether the server refused the statement: then the connection is as before. After any other error the state of the connection is unknown. */
const isPlainRefusal = (error: unknown): boolean => (error as { severity?: unknown } | null)?.severity === 'ERROR';

/** The code of the error if all connections are lent, and none was returned in time. */
export const POOL_BUSY = 'APE_POOL_BUSY';

/**
 * Lends connections. After a statement without an answer (a restart, a failover, a stalled disk) the connection may still have an
 * open transaction, and the answer may come later. So the next transaction on it would commit the statements of this one.
 *
 * @param answerMs how long an answer may take; null: no limit
 * @param nameOf   the name of a statement that each connection parses once; undefined: it is parsed at each run
 */
export function poolWithoutBroken(
  pool: Pool,
  answerMs: () => number | null,
  nameOf: (text: string) => string | undefined,
): PostgresPool {
  // An idle connection that the server closes is replaced at the next use; without a listener it would end the process.
  pool.on('error', () => {});
  // A connection in use also needs a listener; the statement that waits on the connection fails with the error.
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
            const query = { name: nameOf(text), text, values: [...parameters], query_timeout };
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
    // pg gives the same message for a server that is away and for a pool that is busy; only in a busy pool are all lent.
    if (pool.totalCount >= pool.options.max && (error as { code?: unknown }).code === undefined)
      throw Object.assign(new Error('all connections are in use'), { code: POOL_BUSY });
    throw error;
  }
}
