/** The journal and the server have the start and the end of a session in this order, each once, also if the gate opens late. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { saveIdentity } from '../../src/grants/enrolment.ts';
import { openInstallation } from '../../src/main/open-installation.ts';
import { openSessionGate, type SessionGate } from '../../src/main/session-gate.ts';
import type { Started } from '../../src/platform/installation.ts';
import { ensurePrivateDirectory } from '../../src/platform/private-files.ts';
import { currentHost, currentUser } from '../../src/platform/surroundings.ts';
import { clientOf } from './file-stage.ts';
import { TestServer } from './server-fixture.ts';

let server: TestServer;
let owner: Readonly<Record<string, string>>;
beforeAll(async () => {
  server = await TestServer.start();
  owner = await server.owner();
});
afterAll(() => server.stop());

let state: string;
let gate: SessionGate;
beforeEach(async () => {
  const home = mkdtempSync(join(server.directory, 'host-'));
  const keys = join(home, 'keys');
  state = join(home, 'state');
  for (const each of [keys, state]) ensurePrivateDirectory(each);
  const agent = await server.requester('agent', currentHost(), currentUser());
  expect(saveIdentity(keys, 'requester', (await clientOf(server, agent, state)).identity)).toBe(null);
  const environment = new Map([['APES_HOME', Buffer.from(home)]]);
  const caller = { argv: [], environment, isClosed: [false, false, false], pid: null } as const;
  gate = openSessionGate({ caller } as unknown as Started, home, await openInstallation(caller, home));
});

/** A file in place of the journal's directory: the gate cannot be opened. */
const closeGate = () => writeFileSync(join(state, 'audit'), '');
const letGateOpen = () => rmSync(join(state, 'audit'));

const isOfSession = ({ event, sessionId }: Record<string, unknown>) =>
  sessionId === gate.facts.sessionId && String(event).startsWith('session.');

function journaled(): readonly unknown[] {
  const directory = join(state, 'audit');
  return readdirSync(directory)
    .flatMap((name) => readFileSync(join(directory, name), 'utf8').trim().split('\n'))
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter(isOfSession)
    .map(({ event }) => event);
}

interface Recorded {
  readonly events: readonly { readonly kind: string; readonly seq: number; readonly facts: object }[];
}

async function recorded(): Promise<readonly unknown[]> {
  const { events } = (await server.call<Recorded>('GET', '/v1/audit?limit=1000', owner)).body;
  return events
    .toSorted((left, right) => left.seq - right.seq)
    .filter(({ kind, facts }) => isOfSession({ event: kind, ...facts }))
    .map(({ kind }) => kind);
}

it('if the gate opens at the start', async () => {
  expect(await gate.opened()).toBe('');
  expect(await gate.opened()).toBe('');
  await gate.close(0);
  expect(journaled()).toEqual(['session.opened', 'session.closed']);
  expect(await recorded()).toEqual(['session.opened', 'session.closed']);
});

it('if the gate fails at the first prompt, and a line opens it', async () => {
  closeGate();
  expect(await gate.opened()).toContain('audit');
  letGateOpen();
  await Promise.all([gate.journal(), gate.journal()]);
  await gate.close(0);
  expect(journaled()).toEqual(['session.opened', 'session.closed']);
  expect(await recorded()).toEqual(['session.opened', 'session.closed']);
});

it('if the gate opens only at the end', async () => {
  closeGate();
  expect(await gate.opened()).toContain('audit');
  letGateOpen();
  await gate.close(0);
  expect(journaled()).toEqual(['session.opened', 'session.closed']);
  expect(await recorded()).toEqual(['session.opened', 'session.closed']);
});
