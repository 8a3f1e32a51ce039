/** An MCP client is a requester: it cannot decide, it runs nothing without a grant, and none of its answers counts as a grant. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type ClientKind, McpClient } from '../scenario/mcp-client.ts';
import { GatedStage } from './gated-stage.ts';

const stage = new GatedStage();
beforeAll(() => stage.open());
afterAll(() => stage.close());

const clients: McpClient[] = [];
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
});

async function connect(kind: ClientKind = {}): Promise<McpClient> {
  const client = await McpClient.connect(stage, kind);
  clients.push(client);
  return client;
}

const tripwire = (name: string): string => join(stage.scratch, 'work', name);
const stateOf = async (client: McpClient, id: string) =>
  (await client.call('grants_status', { id })).structure['state'];

it('an MCP client has no tool that decides', async () => {
  const client = await connect();
  const { tools } = await client.raw.listTools();
  expect(tools.filter(({ name }) => /approve|deny|revoke|decide|owner|key/.test(name))).toEqual([]);
  for (const name of ['grants_approve', 'approve', 'grants_deny'])
    await expect(client.call(name, { id: 'g_' })).rejects.toThrow('unknown tool');
});

it('an MCP client cannot decide by a command either: the owner’s verbs need a grant themselves', async () => {
  const client = await connect();
  const id = await client.pending('touch self-approved');
  for (const command of [
    `apes grants approve ${id}`,
    `apes grants approve ${id} --term always`,
    'apes owner key create',
    `apes grants status ${id}; apes grants approve ${id}`,
    `apes grants status ${id}\napes grants approve ${id}`,
    `apes grants status $(apes grants approve ${id})`,
    `apes mcp`,
    `./apes grants status ${id}`,
  ])
    expect([command, (await client.call('run', { command })).structure['outcome']]).toEqual([command, 'pending']);
  expect(await stateOf(client, id)).toBe('pending');
  expect(existsSync(tripwire('self-approved'))).toBe(false);
});

it('a client that accepts every elicitation has approved nothing', async () => {
  const client = await connect({ elicit: async () => 'accept' });
  const id = await client.pending('touch said-yes');
  const answer = await client.call('grants_run', { id, timeoutSeconds: 1 });
  expect([answer.isError, answer.structure['outcome'], await stateOf(client, id)]).toEqual([
    true,
    'pending',
    'pending',
  ]);
  expect(existsSync(tripwire('said-yes'))).toBe(false);
});

it('a request runs only in the state approved', async () => {
  const client = await connect();
  const decide = async (verb: string) => expect((await stage.run(`apes grants ${verb}`)).status).toBe(0);
  const denied = await client.pending('touch ran-denied');
  await decide(`deny ${denied}`);
  const withdrawn = await client.pending('touch ran-withdrawn');
  await decide(`withdraw ${withdrawn}`);
  const revoked = await client.pending('touch ran-revoked');
  await decide(`approve ${revoked} --term always`);
  await decide(`revoke ${revoked}`);
  for (const [state, id] of Object.entries({ denied, withdrawn, revoked })) {
    const answer = await client.call('grants_run', { id, timeoutSeconds: 60 });
    expect([state, answer.isError, answer.structure['detail']]).toEqual([state, true, `grant.${state}`]);
    expect(existsSync(tripwire(`ran-${state}`))).toBe(false);
  }
});

it('a once grant runs once when three clients ask for it in twelve calls', async () => {
  const three = [await connect(), await connect(), await connect()];
  const [first] = three;
  const id = await first?.pending('echo ran >> once-file');
  expect((await stage.run(`apes grants approve ${id}`)).status).toBe(0);
  const answers = await Promise.all(
    three.flatMap((client) => [1, 2, 3, 4].map(() => client.call('grants_run', { id, timeoutSeconds: 60 }))),
  );
  expect(answers.filter(({ structure }) => structure['outcome'] === 'ran')).toHaveLength(1);
  expect(readFileSync(tripwire('once-file'), 'utf8')).toBe('ran\n');
});

it('a grant covers no other command, directory or environment', async () => {
  const client = await connect();
  const id = await client.pending('touch elsewhere');
  expect((await stage.run(`apes grants approve ${id} --term always`)).status).toBe(0);
  const other = await connect({ variables: { LD_PRELOAD: '/tmp/x.so' } });
  for (const [by, given] of [
    [client, { command: 'touch elsewhere ' }],
    [client, { command: 'touch elsewhere', cwd: join(stage.scratch, 'home') }],
    [other, { command: 'touch elsewhere' }],
  ] as const)
    expect((await by.call('run', given)).structure['outcome']).toBe('pending');
  expect(existsSync(tripwire('elsewhere'))).toBe(false);
});

it('a client cannot run a grant of another requester', async () => {
  const client = await connect();
  const stranger = new GatedStage();
  await stranger.open();
  try {
    const id = /g_[a-z2-7]{26}/.exec((await stranger.run('apes run -- touch theirs')).out)?.[0] ?? '';
    expect((await stranger.run(`apes grants approve ${id}`)).status).toBe(0);
    expect((await client.call('grants_run', { id })).structure['detail']).toBe('grant.not_found');
  } finally {
    stranger.close();
  }
  expect(existsSync(tripwire('theirs'))).toBe(false);
});

it('another program named apes in PATH needs a grant like any other command', async () => {
  const bin = tripwire('bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'apes'), `#!/bin/sh\ntouch ${tripwire('impostor')}\n`, { mode: 0o755 });
  const client = await connect({ variables: { PATH: `${bin}:/usr/bin:/bin` } });
  expect((await client.call('run', { command: 'apes whoami' })).structure['outcome']).toBe('pending');
  expect((await client.call('explain', { command: 'apes whoami' })).structure['verdict']).not.toBe('exempt');
  expect(existsSync(tripwire('impostor'))).toBe(false);
});

it('nothing runs that cannot be recorded', async () => {
  const client = await connect();
  const id = await client.pending('touch unrecorded');
  expect((await stage.run(`apes grants approve ${id} --term always`)).status).toBe(0);
  expect((await stage.run('chmod 755 "$APES_HOME/state/audit"')).status).toBe(0);
  const answer = await client.call('run', { command: 'touch unrecorded' });
  expect((await stage.run('chmod 700 "$APES_HOME/state/audit"')).status).toBe(0);
  expect([answer.isError, answer.structure['code']]).toEqual([true, 'audit']);
  expect(existsSync(tripwire('unrecorded'))).toBe(false);
});
