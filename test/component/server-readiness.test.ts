/** The endpoints for load balancers and Prometheus: `/healthz`, `/readyz`, and the metrics at an address of their own. */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { pino } from 'pino';
import { afterEach, describe, expect, it } from 'vitest';
import { runServer } from '../../src/server/run-server.ts';
import { TestServer } from './server-fixture.ts';

let server: TestServer;
afterEach(() => server.stop());

describe('readiness', () => {
  it('is lost while the database can be read but not written, and comes back', async () => {
    server = await TestServer.start();
    expect((await server.call('GET', '/readyz')).status).toBe(200);
    const other = new Database(join(server.directory, 'grants.db'));
    other.exec('begin immediate');
    await sleep(1_100); // an answer is kept for a second
    expect(await server.call('GET', '/readyz')).toMatchObject({
      status: 503,
      body: { error: { code: 'server.busy' } },
    });
    expect((await server.call('GET', '/healthz')).status).toBe(200);
    other.exec('rollback');
    other.close();
    await sleep(1_100);
    expect((await server.call('GET', '/readyz')).status).toBe(200);
  });

  it('is checked by a write, once a second, however many callers ask', async () => {
    let elapsedMs = 10_000;
    server = await TestServer.start({ elapsedMs: () => elapsedMs });
    const file = new Database(join(server.directory, 'grants.db'), { readonly: true });
    const version = () => file.pragma('data_version', { simple: true }) as number;
    const untouched = version();
    await server.call('GET', '/readyz');
    const before = version();
    expect(before).not.toBe(untouched); // a full disk refuses writes, not reads
    await Promise.all(Array.from({ length: 50 }, () => server.call('GET', '/readyz')));
    expect(version()).toBe(before);
    elapsedMs += 1_000;
    await server.call('GET', '/readyz');
    expect(version()).not.toBe(before);
    file.close();
  });
});

describe('metrics', () => {
  const figures = async () => {
    const answer = await fetch(server.running.metricsUrl ?? '');
    expect(answer.status).toBe(200);
    return answer.text();
  };

  it('count calls by route and status, and what waits, without any name, path or command', async () => {
    server = await TestServer.start({ metrics: '127.0.0.1:0' });
    const agent = await server.requester('agent-with-a-name');
    await server.ask(agent, 'cat /secret/place', { cwd: '/home/hidden' });
    await server.call('GET', '/v1/grants/g_aaaaaaaaaaaaaaaaaaaaaaaaaa');
    const text = await figures();
    expect(text).toContain('ape_requests_waiting 1');
    expect(text).toContain('ape_database_up 1');
    expect(text).toMatch(
      /ape_http_request_duration_seconds_count\{method="POST",route="\/v1\/requests",status="202"\} 1/,
    );
    expect(text).toMatch(/duration_seconds_count\{method="GET",route="\/v1\/grants\/:id",status="401"\} 1/);
    expect(text).not.toMatch(/secret|hidden|agent-with|g_aaaa|s_[a-z2-7]{26}/);
  });

  it('are served only at their own address, which serves no other path or method', async () => {
    server = await TestServer.start({ metrics: '127.0.0.1:0' });
    expect((await server.call('GET', '/metrics')).status).toBe(404);
    const base = (server.running.metricsUrl ?? '').replace('/metrics', '');
    expect((await fetch(`${base}/v1/server`)).status).toBe(404);
    expect((await fetch(`${base}/metrics`, { method: 'POST' })).status).toBe(404);
  });

  it.each(['9464', 'host', '127.0.0.1:', ':9464', '::1:9464', '127.0.0.1:99999'])(
    'a malformed address is refused: %s',
    async (metrics) => {
      server = await TestServer.start();
      const started = await runServer({
        port: 0,
        database: join(server.directory, 'other.db'),
        keyDirectory: join(server.directory, 'keys'),
        log: pino({ level: 'silent' }),
        metrics,
      });
      expect(started).toMatchObject({ ok: false, failure: { code: 'configuration' } });
    },
  );

  it('an address that is in use prevents the start, with the reason', async () => {
    server = await TestServer.start({ metrics: '127.0.0.1:0' });
    const { host } = new URL(server.running.metricsUrl ?? '');
    await expect(TestServer.start({ metrics: host })).rejects.toThrow(/cannot serve metrics at .* \(EADDRINUSE\)/);
  });
});
