/** A broken or malicious requester cannot make the server unusable for others: their event streams and lists go on working. */
import { type ClientRequest, get, type IncomingMessage } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { askGrant, callWithToken, type GrantClient } from '../../src/grants/client.ts';
import { type KeyRole, loadIdentity } from '../../src/grants/enrolment.ts';
import { obtainToken } from '../../src/grants/token.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { fingerprintOf } from '../../src/platform/surroundings.ts';
import { MAX_STREAMS_PER_SUBJECT } from '../../src/server/limits.ts';
import { MAX_LISTED_REQUEST_BYTES } from '../../src/store/listed-request.ts';
import { GatedStage } from './gated-stage.ts';

const gated = new GatedStage();
const opened: ClientRequest[] = [];
beforeAll(() => gated.open());
afterAll(() => {
  for (const one of opened) one.destroy();
  gated.close();
});

function clientOf(role: KeyRole): GrantClient {
  const identity = loadIdentity(`${gated.apesHome}/keys`, role);
  if (!identity.ok) throw new Error(identity.failure.message);
  return {
    server: { url: identity.value.serverUrl, timeoutMs: 30_000, ca: null },
    identity: identity.value,
    stateDirectory: `${gated.apesHome}/state`,
    clock: systemClock,
  };
}

async function file(client: GrantClient, text: string): Promise<string> {
  const { host, user } = client.identity;
  const request = { kind: 'command', text, argv: ['-c', text], cwd: '/', host, user, environment: [] } as const;
  const asked = await askGrant(client, request, fingerprintOf(request), { findings: null });
  if (!asked.ok || asked.value.kind !== 'pending') throw new Error('not pending');
  return asked.value.grant.id;
}

async function stream(client: GrantClient, path: string): Promise<number> {
  const { server } = client;
  const token = await obtainToken(client, false);
  if (!token.ok) throw new Error(token.failure.message);
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const headers = { authorization: `Bearer ${token.value}` };
    opened.push(get(`${server.url}${path}`, { agent: false, headers }, resolve).on('error', reject));
  });
  answer.on('error', () => undefined); // destroyed at the end
  return answer.statusCode ?? 0;
}

test('a requester that opens streams without end does not keep the approver from opening a stream', async () => {
  const requester = clientOf('requester');
  const path = `/v1/grants/${await file(requester, 'true')}/events`;
  for (let count = 0; count < MAX_STREAMS_PER_SUBJECT; count++) expect(await stream(requester, path)).toBe(200);
  expect(await stream(requester, path)).toBe(429);
  expect(await stream(clientOf('owner'), '/v1/events')).toBe(200);
  for (const one of opened.splice(0, 100)) one.destroy();
  await expect.poll(() => stream(requester, path), { timeout: 60_000 }).toBe(200);
});

test('requests of megabytes do not make a list longer than its limit', async () => {
  const requester = clientOf('requester');
  const long = (count: number): string => `: ${count} ${'x'.repeat(1_900_000)}`;
  for (let count = 0; count < 8; count++) await file(requester, long(count));
  await expect(file(requester, long(8))).rejects.toThrow('not pending'); // MAX_PENDING_BYTES_PER_REQUESTER
  const listed = await callWithToken(clientOf('owner'), { method: 'GET', path: '/v1/grants?limit=200' });
  if (!listed.ok) throw new Error(listed.failure.message);
  expect(listed.value.status).toBe(200);
  const { grants } = listed.value.body as { readonly grants: readonly { readonly cutFrom?: number }[] };
  expect(grants.filter(({ cutFrom = 0 }) => cutFrom > 1_900_000)).toHaveLength(8); // the list has all of them, marked as cut
  expect(JSON.stringify(grants).length).toBeLessThan(8 * MAX_LISTED_REQUEST_BYTES);
});
