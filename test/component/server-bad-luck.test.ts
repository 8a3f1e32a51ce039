/** The server under bad conditions: wrong addresses, names of other hosts, used ports, databases that it cannot use. */
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ErrorBody } from '../../src/core/wire/error.ts';
import { checkBind, isOurHost, isOurOrigin } from '../../src/server/bind.ts';
import { loadOrCreateServerKey } from '../../src/server/identity/server-key.ts';
import { runServer, type ServerSettings } from '../../src/server/run-server.ts';
import { TestServer } from './server-fixture.ts';

describe('the address of the server', () => {
  it('is on this machine, unless the server is behind a TLS proxy', () => {
    for (const host of ['127.0.0.1', 'localhost', '::1', '127.8.8.8']) expect(checkBind({ host })).toBeNull();
    for (const host of ['0.0.0.0', '::', '192.168.1.4', 'example.org', '127.0.0.1.example.org']) {
      expect(checkBind({ host })).toMatchObject({ code: 'configuration', message: expect.stringContaining(host) });
      expect(checkBind({ host, publicUrl: 'https://apes.example.org' })).toBeNull();
      expect(checkBind({ host, publicUrl: 'http://127.0.0.1:8080' })).toMatchObject({ code: 'configuration' });
    }
    for (const publicUrl of [
      'http://apes.example.org',
      'ftp://x',
      'apes',
      'https://a.example/path?x',
      'https://a.example/path#x',
      'https://a.example/a%20b',
      'https://u:p@a.example',
      'https://u@a.example',
      'https://:p@a.example',
    ])
      expect(checkBind({ host: '127.0.0.1', publicUrl })).toMatchObject({ code: 'configuration' });
  });

  it('may have a path after the name', () => {
    for (const publicUrl of ['https://a.example/', 'https://a.example/approvals', 'https://a.example/ape/shell/'])
      expect(checkBind({ host: '127.0.0.1', publicUrl })).toBeNull();
  });

  it('limits which Host headers the server answers: only its own names', () => {
    const url = 'https://apes.example.org';
    for (const host of ['apes.example.org', 'APES.example.org', '127.0.0.1:80', 'localhost:9', '[::1]:9', '127.0.0.1'])
      expect([host, isOurHost(host, url)]).toEqual([host, true]);
    for (const host of [
      'evil.example',
      'apes.example.org.evil.example',
      'localhost.evil.example',
      '127.0.0.1.evil.example',
      '',
      undefined,
      '10.0.0.1:80',
    ])
      expect([host, isOurHost(host, url)]).toEqual([host, false]);
  });

  it('limits which pages may send changes: only its own', () => {
    const url = 'https://apes.example.org';
    expect(isOurOrigin('https://apes.example.org', 'apes.example.org', url)).toBe(true);
    expect(isOurOrigin('http://localhost:81', 'localhost:81', url)).toBe(true);
    for (const origin of ['http://localhost:82', 'http://apes.example.org', 'https://evil.example', 'null', undefined])
      expect([origin, isOurOrigin(origin, 'localhost:81', url)]).toEqual([origin, false]);
    expect(isOurOrigin('http://evil.example', 'evil.example', url)).toBe(false);
  });
});

describe('the server', () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'ape-luck-'));
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));
  const settings = (more: Partial<ServerSettings> = {}): ServerSettings => ({
    port: 0,
    database: join(directory, 'grants.db'),
    keyDirectory: join(directory, 'keys'),
    log: pino({ level: 'silent' }),
    ...more,
  });
  const refusal = async (more: Partial<ServerSettings>) => {
    const started = await runServer(settings(more));
    if (!started.ok) return started.failure;
    await started.value.stop();
    throw new Error('it started');
  };

  it('does not start with an unsafe setting, on a used port, or on a database that it cannot use', async () => {
    expect(await refusal({ host: '0.0.0.0' })).toMatchObject({ code: 'configuration', detail: 'bind.unsafe' });
    for (const path of ['grants', 'v1/x', 'people', 'standing/', 'settings', 'requesters', 'parts', 'assets'])
      expect([path, await refusal({ publicUrl: `https://a.example/${path}` })]).toMatchObject([
        path,
        { detail: 'bind.url' },
      ]);
    const first = await TestServer.start();
    expect(await refusal({ port: first.running.port })).toMatchObject({ code: 'unavailable', detail: 'bind.taken' });
    await first.stop();
    writeFileSync(join(directory, 'broken.db'), 'no database at all, just text '.repeat(50), { mode: 0o600 });
    expect(await refusal({ database: join(directory, 'broken.db') })).toMatchObject({ detail: 'store.damaged' });
  });

  it('stores its key so that only its owner can read it, and refuses a key file that others can read', async () => {
    const keys = join(directory, 'keys');
    const first = loadOrCreateServerKey(keys);
    const again = loadOrCreateServerKey(keys);
    if (!first.ok || !again.ok) throw new Error('no key');
    expect(again.value.publicKey).toBe(first.value.publicKey);
    const path = join(keys, 'server-key.pem');
    expect([statSync(path).mode & 0o777, statSync(keys).mode & 0o777]).toEqual([0o600, 0o700]);
    chmodSync(path, 0o644);
    expect(loadOrCreateServerKey(keys)).toMatchObject({ ok: false, failure: { code: 'configuration' } });
    chmodSync(path, 0o600);
    writeFileSync(path, readFileSync(path, 'utf8').replace('MC4', 'XXX'));
    expect(loadOrCreateServerKey(keys)).toMatchObject({ ok: false, failure: { code: 'configuration' } });
  });

  it('says that its database is locked while it is, decides nothing meanwhile, and works again afterwards', async () => {
    const server = await TestServer.start();
    const agent = await server.requester();
    const owner = await server.owner();
    const grant = await server.pending(agent, 'a');
    const link = await server.ownerLink();
    const other = new Database(join(server.directory, 'grants.db'));
    other.exec('begin immediate');
    const blocked = await server.decide(owner, grant.id, 'approve', { version: 1, term: { kind: 'once' } });
    expect([blocked.status, blocked.body.error]).toEqual([
      503,
      expect.objectContaining({ code: 'server.busy', message: 'the database is locked; try again' }),
    ]);
    const page = await server.call<string>('POST', `/sign-in/${link}`);
    expect([page.status, page.body]).toEqual([503, expect.stringContaining('The server has trouble')]);
    other.exec('rollback');
    other.close();
    expect((await server.redeem(agent, grant)).body.error.code).toBe('grant.pending');
    expect((await server.decide(owner, grant.id, 'approve', { version: 1, term: { kind: 'once' } })).status).toBe(200);
    await server.stop();
  });

  it('keeps sessions, tokens and waiting requests across a restart', async () => {
    const first = await TestServer.start({ directory });
    const agent = await first.requester();
    const owner = await first.owner();
    const grant = await first.pending(agent, 'a');
    await first.stop();
    const second = await TestServer.start({ directory });
    const approved = await second.decide({ ...owner, origin: second.url }, grant.id, 'approve', {
      version: 1,
      term: { kind: 'once' },
    });
    expect(approved.status).toBe(200);
    expect((await second.redeem(agent, grant)).status).toBe(200);
    await second.stop();
  });

  it('does not answer to a name that is not its own', async () => {
    const server = await TestServer.start();
    const ask = (host: string) =>
      new Promise<number>((resolve, reject) => {
        request({ port: server.running.port, host: '127.0.0.1', path: '/v1/server', headers: { host } }, (answer) => {
          answer.resume();
          resolve(answer.statusCode ?? 0);
        })
          .on('error', reject)
          .end();
      });
    expect(await ask('rebound.evil.example')).toBe(400);
    expect(await ask(`localhost:${server.running.port}`)).toBe(200);
    await server.stop();
  });

  it('closes the connection of a client that sends a request one byte at a time', async () => {
    const server = await TestServer.start();
    const startedMs = performance.now();
    const hungUp = new Promise<number>((resolve) => {
      const socket = connect(server.running.port, '127.0.0.1', () =>
        socket.write('GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n'),
      );
      const drip = setInterval(() => socket.write('x'), 500);
      socket.on('error', () => {});
      socket.on('close', () => {
        clearInterval(drip);
        resolve(performance.now() - startedMs);
      });
      socket.resume();
    });
    expect(await hungUp).toBeLessThan(60_000);
    await server.stop();
  });

  it('finishes the answer that it is sending before it stops', async () => {
    const started = await runServer(settings());
    if (!started.ok) throw new Error(started.failure.message);
    const answers = Array.from({ length: 20 }, () =>
      fetch(`${started.value.url}/v1/server`).then((answer) => answer.status),
    );
    await answers[0];
    const stopped = started.value.stop();
    for (const status of await Promise.allSettled(answers))
      if (status.status === 'fulfilled') expect([200, 503]).toContain(status.value);
    await stopped;
    await expect(fetch(`${started.value.url}/v1/server`)).rejects.toThrow();
  });

  it('marks its cookie as secure only behind a TLS proxy', async () => {
    const server = await TestServer.start({ publicUrl: 'https://apes.example.org' });
    const link = await server.ownerLink();
    const answer = await server.call<ErrorBody>('POST', `/sign-in/${link}`);
    const cookie = answer.headers.get('set-cookie') ?? '';
    expect(cookie).toMatch(/^__Host-ape_session=.*; Path=\/; HttpOnly; Secure; SameSite=Strict/);
    await server.stop();
  });
});
