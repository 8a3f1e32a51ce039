/** An approver holds a command or session: all of its processes stop within a second and stay stopped, whatever the requester does. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readProcess } from '../../src/session/hold/processes.ts';
import { McpClient } from '../scenario/mcp-client.ts';
import { GatedStage } from './gated-stage.ts';

const gated = new GatedStage();
beforeAll(() => gated.open());
afterAll(() => gated.close());

const stateOf = (pid: number): string => readProcess(pid)?.state ?? 'gone';
const run = (command: string) => gated.run(command);
/** Returns the process ids that a command wrote into a file of the stage, one a line. */
const pidsIn = (name: string): number[] =>
  readFileSync(join(gated.scratch, 'work', name), 'utf8')
    .trim()
    .split('\n')
    .map(Number);
const hasWritten = (name: string, lines: number) =>
  expect.poll(() => existsSync(join(gated.scratch, 'work', name)) && pidsIn(name).length, { interval: 50 }).toBe(lines);
const gatePid = (): number => Number(readFileSync(join(gated.apesHome, 'run', 'gate.pid'), 'utf8'));
/** Starts the line in the background under an existing standing grant. */
const start = (line: string) => run(`ape-shell -c '${line}' >/dev/null 2>&1 & sleep 0.1`);
const isConnected = async () => {
  const host = JSON.parse((await run('apes sessions running --json')).out) as { data: { state: string }[] };
  return host.data.some(({ state }) => state === 'here');
};

interface KeptToken {
  readonly subjectId: string;
  readonly serverUrl: string;
  readonly token: string;
}

/** Makes the call with each token that is stored in this stage: the requester's, and the owner's. */
function withEachToken(method: string, path: (token: KeptToken) => string): Promise<Response[]> {
  const state = join(gated.apesHome, 'state');
  const files = readdirSync(state).filter((name) => name.startsWith('token-'));
  const tokens = files.map((name) => JSON.parse(readFileSync(join(state, name), 'utf8')) as KeptToken);
  return Promise.all(
    tokens.map((each) =>
      fetch(each.serverUrl + path(each), { method, headers: { authorization: `Bearer ${each.token}` } }),
    ),
  );
}

describe('a running command', () => {
  test('is held within a second with all processes that it started, also in another session, and then goes on or ends', async () => {
    const line = 'echo $$ >one; setsid sleep 500 & echo $! >>one; (sleep 501 & echo $! >>one; wait) & wait';
    const id = await gated.approved(`ape-shell -c '${line}'`, 'always');
    await start(line);
    await hasWritten('one', 3);
    await expect.poll(isConnected).toBe(true);
    const beganMs = performance.now();
    const held = await run(`apes grants hold ${id} --json`);
    expect(performance.now() - beganMs, 'with the start of apes itself').toBeLessThan(5_000);
    expect(JSON.parse(held.out)).toMatchObject({ data: { processes: 4, notHeld: [] } });
    const pids = pidsIn('one');
    expect(pids.map(stateOf)).toEqual(['T', 'T', 'T']);
    for (const pid of pids) process.kill(pid, 'SIGCONT'); // the requester's own user
    await expect.poll(() => pids.map(stateOf), { interval: 50 }).toEqual(['T', 'T', 'T']);
    expect((await run(`apes grants continue ${id}`)).out).toBe('goes on: 4 processes\n');
    expect(pids.map(stateOf)).not.toContain('T');
    expect((await run(`apes grants continue ${id}`)).err).toContain('it is not held');
    expect((await run(`apes grants kill ${id}`)).status).toBe(0);
    expect(pids.map(stateOf)).toEqual(['gone', 'gone', 'gone']);
  });

  test('that starts while another one of its grant is held is held by the next order, and ends with it', async () => {
    const line = 'echo $$ >>later; exec sleep 507';
    const id = await gated.approved(`ape-shell -c '${line}'`, 'always');
    await start(line);
    await hasWritten('later', 1);
    await expect.poll(isConnected).toBe(true);
    expect((await run(`apes grants hold ${id}`)).status).toBe(0);
    await start(line);
    await hasWritten('later', 2);
    expect((await run(`apes grants hold ${id}`)).status).toBe(0);
    expect(pidsIn('later').map(stateOf)).toEqual(['T', 'T']);
    await start(line);
    await hasWritten('later', 3);
    expect((await run(`apes grants kill ${id}`)).status).toBe(0);
    expect(pidsIn('later').map(stateOf)).toEqual(['gone', 'gone', 'gone']);
  });

  test('is stopped within a second of the order', async () => {
    const line = 'echo $$ >two; exec sleep 502';
    const id = await gated.approved(`ape-shell -c '${line}'`, 'always');
    await start(line);
    await hasWritten('two', 1);
    const [pid = 0] = pidsIn('two');
    let stoppedAtMs = 0;
    const look = setInterval(() => {
      if (stoppedAtMs === 0 && stateOf(pid) === 'T') stoppedAtMs = Date.now();
    }, 10);
    await run(`apes grants hold ${id}`);
    clearInterval(look);
    const answers = await withEachToken('GET', () => '/v1/audit?limit=1000');
    const record = answers.find(({ status }) => status === 200) ?? new Response('{"events":[]}');
    const { events } = (await record.json()) as { events: { kind: string; atMs: number }[] };
    const ordered = events.findLast(({ kind }) => kind === 'running.ordered');
    expect(stoppedAtMs).toBeGreaterThan(0);
    expect(stoppedAtMs - (ordered?.atMs ?? 0)).toBeLessThan(1_000);
    await run(`apes grants kill ${id}`);
    expect(stateOf(pid)).toBe('gone');
  });

  test('that the kernel confines is held like every other command', async () => {
    const line = 'echo $$ >three; sleep 503 | cat';
    const asked = await run(`ape-shell -c '${line}'`);
    const id = /g_[a-z2-7]{26}/.exec(asked.err)?.[0] ?? '';
    const approved = await run(`apes grants approve ${id} --confined --term always`);
    expect(approved.status, approved.err).toBe(0);
    await start(line);
    await hasWritten('three', 1);
    const held = JSON.parse((await run(`apes grants hold ${id} --json`)).out) as { data: { processes: number } };
    expect(held.data.processes).toBe(3);
    expect(pidsIn('three').map(stateOf)).toEqual(['T']);
    await run(`apes grants kill ${id}`);
  });

  test('of an MCP client is held like every other command, goes on, and ends with an answer', async () => {
    const client = await McpClient.connect(gated);
    const command = 'echo $$ >mcp; sleep 506; true';
    const id = await client.pending(command);
    expect((await run(`apes grants approve ${id} --term always`)).status).toBe(0);
    const answer = client.call('run', { command });
    await hasWritten('mcp', 1);
    await expect.poll(isConnected).toBe(true);
    const held = JSON.parse((await run(`apes grants hold ${id} --json`)).out) as { data: { processes: number } };
    expect(held.data.processes, 'leash, bash, sleep').toBe(3);
    const [pid = 0] = pidsIn('mcp');
    expect(stateOf(pid)).toBe('T');
    expect((await run(`apes grants continue ${id}`)).status).toBe(0);
    expect(stateOf(pid)).not.toBe('T');
    expect((await run(`apes grants kill ${id}`)).status).toBe(0);
    expect(stateOf(pid)).toBe('gone');
    expect((await answer).structure).toMatchObject({ outcome: 'ran', signal: 'SIGTERM' });
    await client.close();
  });

  test('that was started without the resident gate can be held by the resident gate', async () => {
    const line = 'echo $$ >four; exec sleep 504';
    const id = await gated.approved(`ape-shell -c '${line}'`);
    await run(`apes grants run ${id} >/dev/null 2>&1 & sleep 0.1`);
    await hasWritten('four', 1);
    expect((await run(`apes grants hold ${id}`)).out).toBe('held: 1 process\n');
    await run(`apes grants kill ${id}`);
    expect(stateOf(pidsIn('four')[0] ?? 0)).toBe('gone');
  });

  test('stays held when the gate that holds it is killed, and the next gate goes on with it', async () => {
    const line = 'echo $$ >five; exec sleep 505';
    const id = await gated.approved(`ape-shell -c '${line}'`, 'always');
    await start(line);
    await hasWritten('five', 1);
    await run(`apes grants hold ${id}`);
    const [pid = 0] = pidsIn('five');
    process.kill(gatePid(), 'SIGKILL');
    expect(stateOf(pid)).toBe('T');
    await expect.poll(isConnected, { interval: 100 }).toBe(false);
    const gone = await run(`apes grants continue ${id}`);
    expect([gone.status, stateOf(pid)]).toEqual([77, 'T']);
    expect(gone.err).toContain('the host is not connected');
    await run("ape-shell -c 'true'"); // starts another gate
    await expect.poll(isConnected).toBe(true);
    process.kill(pid, 'SIGCONT');
    await expect.poll(() => stateOf(pid), { interval: 50 }).toBe('T');
    expect((await run(`apes grants continue ${id}`)).out).toBe('goes on: 1 process\n');
    await run(`apes grants kill ${id}`);
  });

  test('that has ended is not found, and no other process is stopped in its place', async () => {
    const id = await gated.approved("ape-shell -c 'true; true'", 'always');
    await run("ape-shell -c 'true; true'");
    const held = await run(`apes grants hold ${id}`);
    expect([held.status, held.out]).toEqual([77, '']);
    expect(held.err).toContain('does not run on this host any more');
  });
});

describe('a session', () => {
  const program =
    'echo $$ >six; setsid sleep 506 & echo $! >>six; n=0; while sleep 0.1; do n=$((n+1)); echo "line $n"; done';

  test('stops as a whole: its screen does not change, it takes no message, and its end ends all of its processes', async () => {
    gated.file('worker', program);
    await gated.approved('apes session start --name worker --detached --no-wait -- bash worker');
    expect((await run('apes session start --name worker --detached -- bash worker')).status).toBe(0);
    await hasWritten('six', 2);
    await expect.poll(isConnected).toBe(true);
    const held = await run('apes sessions hold worker');
    expect(held.status, held.err).toBe(0);
    expect(pidsIn('six').map(stateOf)).toEqual(['T', 'T']);
    const screen = async () => (await run('apes sessions show worker')).out.split('\n').slice(-8);
    const before = await screen();
    expect(await screen()).toEqual(before);
    const sent = await run('apes send worker hello');
    expect([sent.status, sent.err]).toEqual([75, expect.stringContaining('perhaps an approver holds it')]);
    expect((await run('apes sessions list')).out).toContain('held');
    expect((await run('apes sessions continue worker')).status).toBe(0);
    await expect.poll(screen).not.toEqual(before);
    await run('apes sessions hold worker');
    expect((await run('apes sessions kill worker')).status).toBe(0);
    await expect.poll(() => pidsIn('six').map(stateOf), { interval: 50 }).toEqual(['gone', 'gone']);
  });

  test('of another host is not ended if its id is so short that several match, and the message says so', async () => {
    gated.file('idle', 'exec sleep 600');
    const start = (name: string) => `apes session start --name ${name} --detached`;
    for (const name of ['east', 'west']) {
      await gated.approved(`${start(name)} --no-wait -- bash idle`);
      expect((await run(`${start(name)} -- bash idle`)).status).toBe(0);
    }
    const away = 'mkdir -m 700 "$SCRATCH/away" && cp -rp "$APES_HOME"/{config.toml,keys,state} "$SCRATCH/away"';
    expect(await run(`${away}; APES_HOME="$SCRATCH/away" apes sessions kill s_`)).toMatchObject({
      status: 64,
      err: expect.stringContaining('several sessions match s_; write the whole id'),
    });
    for (const name of ['east', 'west']) expect((await run(`apes sessions kill ${name}`)).status).toBe(0);
  });

  test('of the interactive shell: its lines wait until it may go on', async () => {
    await run(`mkdir -p shell; echo "PS1='U# '" >"$HOME/.bashrc"`);
    const keys = await gated.session('shell');
    await gated.approved("ape-shell -c 'echo through'", 'always');
    const shell = async () => /(s_[0-9a-f]{20}) +- +shell/.exec((await run('apes sessions list')).out)?.[1] ?? '';
    await expect.poll(shell).not.toBe('');
    const id = await shell();
    await expect.poll(async () => (await run('apes sessions running --json')).out.includes(id)).toBe(true);
    const held = await run(`apes sessions hold ${id}`);
    expect(held.status, held.err).toBe(0);
    keys.type('exit 3\r');
    await run('sleep 0.5');
    expect(keys.printed).not.toContain('exit 3');
    expect((await run(`apes sessions continue ${id}`)).status).toBe(0);
    expect(await keys.exit).toMatchObject({ status: 3 });
  });
});

test('without the owner key nothing can be held, looked at or ended', async () => {
  await run('mv "$APES_HOME/keys/owner.key" "$APES_HOME/owner.aside"');
  for (const call of [
    'sessions running',
    'sessions hold x',
    'sessions continue x',
    'grants hold g_x',
    'grants continue g_x',
  ])
    expect((await run(`apes ${call}`)).status, call).toBe(78);
  for (const [method, rest] of [
    ['GET', ''],
    ['GET', '/REQUESTER/s_x/screen'],
    ['POST', '/REQUESTER/s_x/hold'],
    ['POST', '/REQUESTER/s_x/continue'],
  ] as const) {
    const answers = await withEachToken(
      method,
      ({ subjectId }) => `/v1/running${rest.replace('REQUESTER', subjectId)}`,
    );
    expect(
      answers.map(({ status }) => status),
      rest,
    ).toContain(403);
  }
  await run('mv "$APES_HOME/owner.aside" "$APES_HOME/keys/owner.key"');
});
