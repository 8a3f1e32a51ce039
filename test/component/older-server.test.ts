/** A server from before the hosts told about their pin and seals: it refuses a body with these members, and the host goes on without. */
import { mkdtempSync } from 'node:fs';
import { createServer, request as httpRequest, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { removeDirectory } from '../../scripts/remove-directory.mjs';
import { sealClaims } from '../../src/gate/seal-rules.ts';
import type { Pin } from '../../src/grants/approver-pin.ts';
import { askGrant, type GrantClient } from '../../src/grants/client.ts';
import { fingerprintOf } from '../../src/platform/surroundings.ts';
import { clientOf } from './file-stage.ts';
import { requestFor, TestServer } from './server-fixture.ts';

let server: TestServer;
let older: Server;
let directory: string;
let client: GrantClient;
/** Of each call that files a request: whether it told where the pin is, or which seals the host verifies. */
const told: boolean[] = [];

/** Passes calls on to a real server, which does not know the members `pin` and `batches` as they come there. */
const notKnowingPins = (url: string): Server =>
  createServer((incoming, answer) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const text = Buffer.concat(chunks).toString('utf8');
      if (incoming.url === '/v1/requests') told.push(text.includes('"pin":') || text.includes('"batches":'));
      const body = text.replace('"pin":', '"unknown":').replace('"batches":', '"unknown2":');
      const { method } = incoming;
      const headers = { ...incoming.headers, 'content-length': Buffer.byteLength(body) };
      const on = httpRequest(`${url}${incoming.url}`, { method, headers }, (real) => {
        answer.writeHead(real.statusCode ?? 500, real.headers);
        real.pipe(answer);
      });
      on.end(body);
    });
  });

beforeAll(async () => {
  server = await TestServer.start();
  directory = mkdtempSync(join(tmpdir(), 'ape-older-'));
  const plain = await clientOf(server, await server.requester(), directory);
  older = notKnowingPins(server.url);
  await new Promise<void>((resolve) => older.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(older.address() as AddressInfo).port}`;
  client = { ...plain, server: { ...plain.server, url } };
});
afterAll(async () => {
  older.closeAllConnections();
  older.close();
  await server.stop();
  removeDirectory(directory);
});

it('is asked again without it, and only once in a process', async () => {
  const ask = (text: string) => {
    const request = requestFor(text);
    return askGrant(client, request, fingerprintOf(request), { findings: null, pin: 'own', batches: true });
  };
  expect(await ask('first')).toMatchObject({ ok: true, value: { kind: 'pending', isNew: true } });
  expect(await ask('second')).toMatchObject({ ok: true, value: { kind: 'pending', isNew: true } });
  expect(told).toEqual([true, false, false]);
});

it.each([
  [null, 'none'],
  [false, 'own'],
  [true, 'system'],
] as const)('with a pin that only root can write: %s, the host tells %s', (isProtected, pin) => {
  const rules = {
    pin: isProtected === null ? null : ({ isProtected } as Pin),
    isRequired: isProtected === true,
    mcpRules: () => Promise.reject(new Error('not asked for')),
  };
  expect(sealClaims(rules)).toEqual({ ...(isProtected === true ? { sealedOnly: true } : {}), pin, batches: true });
});
