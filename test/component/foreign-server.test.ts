/**
 * Whatever a proxy, another program or a broken network gives in place of an answer of the grant server: the client names it in one line,
 * reads no meaning into it, and never permits anything.
 */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { removeDirectory } from '../../scripts/remove-directory.mjs';
import { API_VERSION } from '../../src/core/api-protocol.ts';
import type { Failure } from '../../src/core/failure.ts';
import { askGrant, type GrantClient } from '../../src/grants/client.ts';
import { callServer } from '../../src/grants/http.ts';
import { obtainToken } from '../../src/grants/token.ts';
import { followEvents, type StreamEnd } from '../../src/grants/watch.ts';
import { fingerprintOf } from '../../src/platform/surroundings.ts';
import { clientOf } from './file-stage.ts';
import { requestFor, TestServer } from './server-fixture.ts';

let server: TestServer;
let foreign: Server;
let directory: string;
let client: GrantClient;
let answerWith: (answer: ServerResponse) => void;

beforeAll(async () => {
  server = await TestServer.start();
  directory = mkdtempSync(join(tmpdir(), 'ape-foreign-'));
  const plain = await clientOf(server, await server.requester(), directory);
  foreign = createServer((call, answer) => {
    call.resume();
    answerWith(answer);
  });
  await new Promise<void>((resolve) => foreign.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(foreign.address() as AddressInfo).port}`;
  // The token is from the real server: only the calls with the token reach the other program.
  const token = await obtainToken(plain, true);
  if (!token.ok) throw new Error(token.failure.message);
  client = { ...plain, server: { ...plain.server, url } };
  writeFileSync(
    join(directory, `token-${plain.identity.subjectId}.json`),
    JSON.stringify({
      subjectId: plain.identity.subjectId,
      serverUrl: url,
      token: token.value,
      expiresAtMs: Date.now() + 600_000,
    }),
    { mode: 0o600 },
  );
});
afterAll(async () => {
  foreign.closeAllConnections();
  foreign.close();
  await server.stop();
  await removeDirectory(directory);
});

const PERMIT = JSON.stringify({ outcome: 'permitted', permit: 'x' });
const GRANT = 'event: grant\ndata: {"id":"g_aaaaaaaaaaaaaaaaaaaaaaaaaa","state":"approved"}\n\n';
const NOT_OURS = 'cannot be trusted: the program that answers there is not a grant server';
const ANSWERS: readonly (readonly [string, number, Record<string, string>, string, string])[] = [
  ['an empty 404', 404, {}, '', `${NOT_OURS} (HTTP 404)`],
  ['a page with 404', 404, { 'content-type': 'text/html' }, '<h1>Not here', `${NOT_OURS} (HTTP 404)`],
  ['JSON with 404', 404, { 'content-type': 'application/json' }, '{"error":null}', `${NOT_OURS} (HTTP 404)`],
  ['a page with 401', 401, { 'content-type': 'text/html' }, '<h1>Sign in', `${NOT_OURS} (HTTP 401)`],
  ['a page with 200', 200, { 'content-type': 'text/html' }, '<h1>Accept', `${NOT_OURS} (HTTP 200)`],
  ['a permit with 200', 200, { 'content-type': 'application/json' }, PERMIT, `${NOT_OURS} (HTTP 200)`],
  ['events with 200', 200, { 'content-type': 'text/event-stream' }, GRANT, `${NOT_OURS} (HTTP 200)`],
  ['a redirect', 302, { location: 'http://127.0.0.1:1/' }, '', `${NOT_OURS} (HTTP 302)`],
  [
    'a page with 502',
    502,
    {},
    '<h1>Bad gateway',
    'cannot be asked: a proxy in front of it gets no answer from it (HTTP 502)',
  ],
  ['another version', 200, { 'ape-api': '999' }, PERMIT, 'cannot be trusted: it speaks version 999 of the interface'],
];

describe.each(ANSWERS)('%s', (_what, status, headers, body, line) => {
  const expectLine = ({ code, message }: Failure) => {
    expect(['protocol', 'unavailable']).toContain(code);
    expect(message).toContain(`the grant server at ${client.server.url} ${line}`);
    expect(message).not.toContain('\n');
  };

  it('to a request for a grant permits nothing', async () => {
    answerWith = (answer) => void answer.writeHead(status, headers).end(body);
    const request = requestFor('ls');
    const asked = await askGrant(client, request, fingerprintOf(request));
    if (asked.ok) throw new Error(asked.value.kind);
    expectLine(asked.failure);
  });

  it('to a stream of events opens no stream, and gives no event', async () => {
    answerWith = (answer) => void answer.writeHead(status, headers).end(body);
    let seen = 0;
    const end = await followEvents(
      client,
      { path: '/v1/grants/g_a/events', mustBeFresh: false, signal: AbortSignal.timeout(20_000) },
      () => {
        seen += 1;
        return 'more';
      },
      () => {
        seen += 1;
      },
    );
    expect(seen).toBe(0);
    expect(end.kind).toBe('broken');
    expectLine((end as Extract<StreamEnd, { kind: 'broken' }>).failure);
  });
});

it('an answer by another program that never ends does not hold up a stream', async () => {
  answerWith = (answer) => void answer.writeHead(404).write('<h1>');
  const path = '/v1/grants/g_a/events';
  const signal = AbortSignal.timeout(20_000);
  const end = await followEvents(
    client,
    { path, mustBeFresh: false, signal },
    () => 'more',
    () => undefined,
  );
  expect(end.kind).toBe('broken');
  expect(signal.aborted).toBe(false);
});

it.each([404, 503])('an answer %i of the server that never ends does not hold up a stream', async (status) => {
  answerWith = (answer) => void answer.writeHead(status, { 'ape-api': String(API_VERSION) }).write('{"error"');
  const signal = AbortSignal.timeout(20_000);
  const hasty = { ...client, server: { ...client.server, timeoutMs: 1_000 } };
  const end = await followEvents(
    hasty,
    { path: '/v1/grants/g_a/events', mustBeFresh: false, signal },
    () => 'more',
    () => undefined,
  );
  expect([end.kind, signal.aborted]).toEqual(['broken', false]);
});

describe('a call that reaches no server is one line with an advice that fits', () => {
  const call = async (url: string, ca: string | null = null): Promise<Failure> => {
    const answer = await callServer({ url, timeoutMs: 20_000, ca }, { method: 'GET', path: '/v1/server' });
    if (answer.ok) throw new Error('answered');
    return answer.failure;
  };

  it('if the name is not known', async () => {
    const failure = await call('http://no-such-host.invalid');
    expect(failure).toMatchObject({ code: 'unavailable', advice: 'check its address and the network' });
    expect(failure.message).toMatch(
      /cannot be asked: (?:its name is not known|names cannot be looked up now) \(E\w+\)$/,
    );
  });

  it('if the other side does not speak TLS', async () => {
    answerWith = (answer) => void answer.end();
    const failure = await call(client.server.url.replace('http:', 'https:'));
    expect(failure).toMatchObject({ code: 'unavailable', advice: 'check the scheme and the port of its address' });
    expect(failure.message).toMatch(/it does not speak TLS/);
  });

  it('if the file of authorities is no certificate', async () => {
    const pem = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';
    expect(await call('https://127.0.0.1:1', pem)).toMatchObject({ advice: expect.stringMatching(/ca_file|apes up/) });
  });
});
