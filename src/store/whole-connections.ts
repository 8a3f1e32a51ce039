/** A pool of PostgreSQL connections that lends only whole ones: what broke in use is thrown away, and ends nothing else. */
import type { PostgresPool, PostgresPoolClient } from 'kysely';
import type { Pool, PoolClient, QueryConfig } from 'pg';

/** The server took the statement and refused it; the connection is as it was. All else leaves it in an unknown state. */
const isPlainRefusal = (error: unknown): boolean => (error as { severity?: unknown } | null)?.severity === 'ERROR';

/** All connections are lent, and none came back in time. */
export const POOL_BUSY = 'APE_POOL_BUSY';

/**
 * After a statement that got no answer (a restart, a failover, a stalled disk) the connection may be amid a transaction, and
 * its answers may come later: the next transaction on it would commit what this one left.
 *
 * @param answerMs how long an answer may take; null: as long as it takes
 * @param nameOf   of a statement that is parsed once on each connection; undefined: it is parsed whenever it runs
 */
export function poolWithoutBroken(
  pool: Pool,
  answerMs: () => number | null,
  nameOf: (text: string) => string | undefined,
): PostgresPool {
  // An idle connection that the server closes is replaced at the next use; without a listener it would end the process.
  pool.on('error', () => {});
  // The same for one in use: the statement that waits on it fails, and says so.
  pool.on('connect', (client) => client.on('error', () => {}));
  return {
    async connect() {
      const client = await connectionOf(pool);
      let brokenBy: Error | null = null;
      const lent = {
        async query(text: string, parameters: readonly unknown[]) {
          if (brokenBy !== null) throw brokenBy; // a rollback would wait for the same silence
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
    // The same words for a server that is away and for one that has too much to do; only then are all lent.
    if (pool.totalCount >= pool.options.max && (error as { code?: unknown }).code === undefined)
      throw Object.assign(new Error('all connections are in use'), { code: POOL_BUSY });
    throw error;
  }
}
