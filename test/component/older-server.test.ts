/**
 * A server of an older version, which refuses a body with members that it does not know. The host then leaves out its pin and seals,
 * but never uses a scope without host facts of this moment.
 */
import { mkdtempSync } from 'node:fs';
import { createServer, request as httpRequest, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { removeDirectory } from '../../scripts/remove-directory.mjs';
import { openJournal } from '../../src/audit/journal.ts';
import { success } from '../../src/core/result.ts';
import { type Gate, redeem } from '../../src/gate/authorize.ts';
import type { LookedUp } from '../../src/gate/facts/look-up.ts';
import { sealClaims } from '../../src/gate/seal-rules.ts';
import type { Pin } from '../../src/grants/approver-pin.ts';
import { askGrant, type GrantClient } from '../../src/grants/client.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { fingerprintOf } from '../../src/platform/surroundings.ts';
import { clientOf } from './file-stage.ts';
import { requestFor, TestServer } from './server-fixture.ts';
import { hostFactsFor, lineRequest, scopeFor } from './server-lines.ts';

let server: TestServer;
let older: Server;
let directory: string;
let client: GrantClient;
/** The path of each call. */
const called: string[] = [];
/** For each call that files a request: whether it says where the pin is, or which seals the host verifies. */
const saysPin: boolean[] = [];

/** Passes calls on to a real server, but renames `pin`, `batches` and the `findings` of a use to names that this server does not know. */
const olderServer = (url: string): Server =>
  createServer((incoming, answer) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      called.push(incoming.url ?? '');
      const text = Buffer.concat(chunks).toString('utf8');
      if (incoming.url === '/v1/requests') saysPin.push(text.includes('"pin":') || text.includes('"batches":'));
      const known = text.replace('"pin":', '"unknown":').replace('"batches":', '"unknown2":');
      const isUse = incoming.url?.endsWith('/redeem') === true;
      const body = isUse ? known.replace('"findings":', '"unknown3":') : known;
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
  older = olderServer(server.url);
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

it('the server is asked again without the pin, and only once in a process', async () => {
  const ask = (text: string) => {
    const request = requestFor(text);
    return askGrant(client, request, fingerprintOf(request), { findings: null, pin: 'own', batches: true });
  };
  expect(await ask('first')).toMatchObject({ ok: true, value: { kind: 'pending', isNew: true } });
  expect(await ask('second')).toMatchObject({ ok: true, value: { kind: 'pending', isNew: true } });
  expect(saysPin).toEqual([true, false, false]);
});

describe('a grant with a scope, used by its id', () => {
  const use = async (found: LookedUp | null) => {
    called.length = 0;
    const journal = openJournal(join(directory, 'audit'), systemClock);
    if (!journal.ok) throw new Error(journal.failure.message);
    const gate: Gate = {
      client,
      journal: journal.value,
      announce: async () => {},
      seals: () => success({ pin: null, isRequired: false, mcpRules: async () => success([]) }),
      lookUp: async () => found,
    };
    const request = lineRequest('git log');
    const asked = await askGrant(client, request, fingerprintOf(request), { findings: hostFactsFor(request) });
    if (!asked.ok || asked.value.kind !== 'pending') throw new Error('not filed');
    const { id } = asked.value.grant;
    const outcome = await redeem(gate, request, { id, scope: scopeFor() });
    return { outcome, hasAsked: called.includes(`/v1/grants/${id}/redeem`) };
  };
  const looked = (hostFacts: LookedUp['hostFacts']) => ({ hostFacts, impact: null }) as LookedUp;

  it.each([
    ['the host does not look up this kind of request', null],
    ['the host finds more than it can send', looked(null)],
  ])('runs nothing if %s, and the server is not even asked', async (_, found) => {
    expect(await use(found)).toMatchObject({
      outcome: { kind: 'refused', failure: { code: 'refused', detail: 'scope.not_covering' } },
      hasAsked: false,
    });
  });

  it('runs nothing if the server does not accept host facts of this moment', async () => {
    expect(await use(looked(hostFactsFor(lineRequest('git log'))))).toMatchObject({
      outcome: { kind: 'refused', failure: { detail: 'request.malformed' } },
      hasAsked: true,
    });
  });
});

it.each([
  [null, 'none'],
  [false, 'own'],
  [true, 'system'],
] as const)('if only root can write the pin: %s, the host says %s', (isProtected, pin) => {
  const rules = {
    pin: isProtected === null ? null : ({ isProtected } as Pin),
    isRequired: isProtected === true,
    mcpRules: () => Promise.reject(new Error('not asked for')),
  };
  expect(sealClaims(rules)).toEqual({ ...(isProtected === true ? { sealedOnly: true } : {}), pin, batches: true });
});
