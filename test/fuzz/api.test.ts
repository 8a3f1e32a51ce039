/** Every route of the API, called with values made from the OpenAPI document. The long run is scripts/fuzz/api.mjs. */
import { describe, expect, it } from 'vitest';
import { TestServer } from '../component/server-fixture.ts';
import { type Postgres, startPostgres } from '../contract/postgres.ts';
import { ApiFuzzer } from './api-fuzzer.ts';
import { seeded } from './random.ts';

const SEED = 20_261_123;
const ROUNDS = 8;

async function run(database?: string) {
  const server = await TestServer.start(database === undefined ? {} : { database });
  try {
    const fuzzer = await ApiFuzzer.start(server, seeded(SEED));
    for (let round = 0; round < ROUNDS; round += 1) await fuzzer.round();
    return fuzzer;
  } finally {
    await server.stop();
  }
}

describe('calls of every route, right and wrong', () => {
  it('are answered as the document says, and never by a fault of the server (SQLite)', async () => {
    const { tally, routes } = await run();
    expect(tally.faults).toEqual([]);
    expect(tally.calls).toBe(routes.length * ROUNDS);
    expect(Object.keys(tally.good).length).toBeGreaterThan(routes.length / 3); // enough calls are valid
    expect(tally.byStatus['400']).toBeGreaterThan(20);
  });

  it('are on PostgreSQL too', async () => {
    const postgres: Postgres = await startPostgres();
    try {
      const { tally } = await run(await postgres.newDatabase());
      expect(tally.faults).toEqual([]);
    } finally {
      await postgres.stop();
    }
  });
});
