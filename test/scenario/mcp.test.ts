/** `apes mcp` as a client uses it: a real process, a real server, a real approval by the owner's key. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { GatedStage } from '../security/gated-stage.ts';
import { type ClientKind, eventually, McpClient } from './mcp-client.ts';

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

async function decide(verb: string): Promise<void> {
  const decided = await stage.run(`apes grants ${verb}`);
  expect([decided.status, decided.err]).toEqual([0, '']);
}

const inWork = (name: string): string => join(stage.scratch, 'work', name);
const isAlive = (pid: number): boolean => {
  try {
    // A zombie has ended; its parent has not called wait(2) yet.
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
};

describe('an MCP client', () => {
  it('sees five tools, each with a closed schema', async () => {
    const client = await connect();
    const { tools } = await client.raw.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['run', 'grants_run', 'grants_status', 'plan', 'explain']);
    for (const { inputSchema } of tools) expect(inputSchema['additionalProperties']).toBe(false);
    expect(client.raw.getServerVersion()?.name).toBe('ape-shell');
  });

  it('gets the text that says what waits and how to go on, and the output in one call after the approval', async () => {
    const client = await connect();
    const asked = await client.call('run', {
      command: 'echo to-be-$((40+2)); echo oops >&2; exit 3',
      reason: 'a test',
    });
    expect(asked.isError).toBe(true);
    const id = String(asked.structure['grantId']);
    for (const part of [
      'NOT RUN YET',
      'echo to-be-',
      id,
      `/grants/${id}`,
      `grants_run with {"id":"${id}"}`,
      'denied:',
      'timed out:',
    ])
      expect(asked.text).toContain(part);
    expect(asked.structure).toMatchObject({
      outcome: 'pending',
      state: 'pending',
      isNew: true,
      message: asked.text,
      next: { tool: 'grants_run', arguments: { id } },
    });
    expect((await client.call('grants_status', { id })).structure).toMatchObject({ state: 'pending' });
    const progress: string[] = [];
    const running = client.call('grants_run', { id }, { onprogress: ({ message }) => progress.push(message ?? '') });
    await eventually(() => progress[0], 'a progress notification while it waits');
    expect(progress[0]).toContain(id);
    await decide(`approve ${id}`);
    const ran = await running;
    expect(ran.text).toBe(
      `exit status 3; granted (once), grant ${id}\nstdout (9 bytes):\nto-be-42\n\nstderr (5 bytes):\noops\n`,
    );
    expect(ran.structure).toMatchObject({
      outcome: 'ran',
      exitStatus: 3,
      signal: null,
      stdout: { encoding: 'utf8', bytes: 9, text: 'to-be-42\n' },
      stderr: { text: 'oops\n' },
      grantId: id,
    });
    expect(ran.isError).toBe(false);
    const again = await client.call('grants_run', { id });
    expect([again.isError, again.structure['detail']]).toEqual([true, 'grant.used']);
    expect((await stage.run(`apes grants show ${id}`)).out).toContain('a test');
  });

  it('gets the reason of a denial, while it waits and afterwards', async () => {
    const client = await connect();
    const id = await client.pending('touch denied-file');
    const waiting = client.call('grants_run', { id });
    await decide(`deny ${id} --reason 'not on a Friday'`);
    for (const answer of [await waiting, await client.call('grants_run', { id })]) {
      expect([answer.isError, answer.structure['outcome'], answer.structure['detail']]).toEqual([
        true,
        'refused',
        'grant.denied',
      ]);
      expect(answer.text).toContain('"not on a Friday"');
      expect(answer.structure['message']).toBe(answer.text);
    }
    const status = await client.call('grants_status', { id });
    expect([status.isError, status.structure['denyReason']]).toEqual([false, 'not on a Friday']);
    expect(existsSync(inWork('denied-file'))).toBe(false);
  });

  it('runs at once what a standing grant covers, also one that was given for ape-shell -c', async () => {
    const client = await connect();
    const id = await client.pending('echo standing');
    await decide(`approve ${id} --term always`);
    const explained = await client.call('explain', { command: 'echo standing' });
    expect(explained.structure).toMatchObject({ verdict: 'covered', grant: { grantId: id } });
    for (const _ of [1, 2]) {
      const ran = await client.call('run', { command: 'echo standing' });
      expect(ran.structure).toMatchObject({ outcome: 'ran', exitStatus: 0, grantId: id, because: 'always' });
    }
  });

  it('may wait for the decision in the call that asks', async () => {
    const client = await connect();
    const progress: string[] = [];
    const running = client.call(
      'run',
      { command: 'echo waited', wait: true },
      { onprogress: ({ message }) => progress.push(message ?? '') },
    );
    const message = await eventually(() => progress[0], 'progress names the grant');
    await decide(`approve ${/g_[a-z2-7]{26}/.exec(message)?.[0]}`);
    expect((await running).structure).toMatchObject({ outcome: 'ran', stdout: { text: 'waited\n' } });
  });

  it('is notified when its requester is paused and resumed while its call waits, and the call goes on', async () => {
    const client = await connect();
    const id = await client.pending('echo resumed');
    const progress: string[] = [];
    const numbers: number[] = [];
    const hears = (text: string) => eventually(() => progress.find((each) => each.includes(text)), text);
    const onprogress = (each: { readonly progress: number; readonly message?: string | undefined }) => {
      progress.push(each.message ?? '');
      numbers.push(each.progress);
    };
    const running = client.call('grants_run', { id }, { onprogress });
    await hears(id);
    const [requester] = /s_[a-z2-7]{26}/.exec((await stage.run('apes whoami')).out) ?? [];
    expect((await stage.run(`apes owner requesters pause ${requester}`)).status).toBe(0);
    await hears('this requester is paused; the request waits until an approver resumes it');
    expect((await stage.run(`apes owner requesters resume ${requester}`)).status).toBe(0);
    await hears('an approver has resumed this requester; still waiting');
    await decide(`approve ${id}`);
    expect((await running).structure).toMatchObject({ outcome: 'ran', stdout: { text: 'resumed\n' } });
    expect(
      numbers.every((number, at) => at === 0 || number > (numbers[at - 1] ?? 0)),
      numbers.join(),
    ).toBe(true);
  });

  it('gets the text that its call still waits if no approver decides in time', async () => {
    const client = await connect();
    const id = await client.pending('echo late');
    const answer = await client.call('grants_run', { id, timeoutSeconds: 1 });
    expect(answer.structure).toMatchObject({ outcome: 'pending', grantId: id, next: { tool: 'grants_run' } });
    expect(answer.text).toContain('Not decided within 1 s');
    expect((await client.call('grants_status', { id })).structure['state']).toBe('pending');
  });

  it('runs a command in the directory that it names, with no variable of ours in the environment', async () => {
    const client = await connect({ variables: { APES_QUIET: '1', APE_WAIT: '0', MARK: 'kept' } });
    const cwd = join(stage.scratch, 'home');
    const id = await client.pending('pwd; env | grep -E "^(APE|MARK)"', { cwd });
    await decide(`approve ${id}`);
    const ran = await client.call('grants_run', { id });
    const text = (ran.structure['stdout'] as { text: string }).text.split('\n').sort();
    expect(text).toEqual(['', cwd, `APES_HOME=${stage.apesHome}`, 'MARK=kept'].sort());
  });

  it('gets the answer at once to calls that need no grant: `exit`, and our own control calls', async () => {
    const client = await connect();
    expect((await client.call('run', { command: 'exit 4' })).structure).toMatchObject({
      outcome: 'ran',
      exitStatus: 4,
    });
    const listed = await client.call('run', { command: 'apes grants list --state withdrawn' });
    expect(listed.structure).toMatchObject({ exitStatus: 0, grantId: null, stdout: { text: 'no grants\n' } });
    expect((await client.call('explain', { command: 'apes whoami' })).structure['verdict']).toBe('exempt');
  });
});

describe('explain', () => {
  it('shows what would be asked and bound, and files nothing', async () => {
    const client = await connect();
    const ids = async () => (await stage.run('apes grants list --limit 200')).out.match(/g_[a-z2-7]{26}/g);
    const before = await ids();
    const answer = await client.call('explain', { command: 'rm -rf build' });
    expect(answer.structure).toMatchObject({ verdict: 'would-ask', isComplete: true, command: 'rm -rf build' });
    const environment = answer.structure['environment'] as { name: string; value: string }[];
    expect(environment.map(({ name }) => name)).toEqual(['HOME', 'LC_ALL', 'PATH', 'SHELL']);
    expect(answer.text).toContain(`HOME=${join(stage.scratch, 'home')}`);
    expect(await ids()).toEqual(before);
    const id = await client.pending('rm -rf build');
    expect((await client.call('explain', { command: 'rm -rf build' })).structure).toMatchObject({
      verdict: 'pending',
      next: { arguments: { id } },
    });
    const elsewhere = await client.call('explain', { command: 'rm -rf build', cwd: join(stage.scratch, 'home') });
    expect(elsewhere.structure['verdict']).toBe('would-ask');
  });

  it('says which part of a plan covers a line, and that a paused requester runs nothing', async () => {
    const client = await connect();
    const explain = (command: string) => client.call('explain', { command });
    const planned = await client.call('plan', {
      plan: { reason: 'tests', for: '1h', parts: [{ line: 'touch part' }] },
    });
    const { grantId: plan } = planned.structure['grant'] as { grantId: string };
    expect((await stage.run(`apes grants show ${plan}`)).status).toBe(0);
    await decide(`approve ${plan}`);
    const covered = await explain('touch part');
    expect(covered.structure).toMatchObject({ verdict: 'covered', coveredBy: [{ grantId: plan, part: 1 }] });
    expect(covered.text).toContain(`Would run at once: covered by ${plan}`);
    const [requester] = /s_[a-z2-7]{26}/.exec((await stage.run('apes whoami')).out) ?? [];
    expect((await stage.run(`apes owner requesters pause ${requester}`)).status).toBe(0);
    const paused = await explain('touch part');
    expect([paused.isError, paused.structure['verdict'], paused.structure['detail']]).toEqual([
      true,
      'would-not-run',
      'requester.paused',
    ]);
    expect((await stage.run('apes explain -- touch part')).out).toContain(
      'decision  refused: an approver paused this requester',
    );
    expect((await stage.run(`apes owner requesters resume ${requester}`)).status).toBe(0);
  });
});

describe('output', () => {
  async function run(client: McpClient, command: string) {
    const id = await client.pending(command);
    await decide(`approve ${id}`);
    return client.call('grants_run', { id });
  }

  it('of a megabyte is cut in the middle, and the answer says by how much', async () => {
    const client = await connect();
    const command = "head -c 500000 /dev/zero | tr '\\0' a; head -c 500000 /dev/zero | tr '\\0' z";
    const ran = await run(client, command);
    const stdout = ran.structure['stdout'] as { head: string; tail: string; bytes: number; cutBytes: number };
    expect(stdout).toEqual({
      encoding: 'utf8',
      bytes: 1_000_000,
      cutBytes: 1_000_000 - 65_536,
      head: 'a'.repeat(32_768),
      tail: 'z'.repeat(32_768),
    });
    expect(ran.text).toContain('stdout (1000000 bytes, 934464 bytes in the middle left out (limit 65536 bytes');
    expect(ran.text.length).toBeLessThan(70_000);
  });

  it('is never cut through a character', async () => {
    const client = await connect({ variables: { APES_MCP_OUTPUT_LIMIT: '1024' } });
    const ran = await run(client, 'printf x; for i in {1..2000}; do printf €; done');
    const stdout = ran.structure['stdout'] as { head: string; tail: string; encoding: string; cutBytes: number };
    expect([stdout.encoding, stdout.head + stdout.tail]).toEqual(['utf8', `x${'€'.repeat(340)}`]);
    expect(stdout.cutBytes).toBe(6001 - Buffer.byteLength(stdout.head + stdout.tail));
  });

  it('that is not text comes as base64, byte for byte', async () => {
    const client = await connect();
    const ran = await run(client, "printf '\\377\\0\\001binary'; printf 'text' >&2");
    expect(ran.structure['stdout']).toEqual({
      encoding: 'base64',
      bytes: 9,
      text: Buffer.from('\u00ff\0\u0001binary', 'latin1').toString('base64'),
    });
    expect(ran.text).toContain('not UTF-8, here as base64');
    expect(ran.structure['stderr']).toMatchObject({ encoding: 'utf8', text: 'text' });
  });

  it('does not delay the end of the call if a process in the background keeps it open', async () => {
    const client = await connect();
    const ran = await run(client, 'sleep 30 & echo $!');
    expect(ran.structure).toMatchObject({ outcome: 'ran', exitStatus: 0, isLeftOpen: true });
    const pid = Number((ran.structure['stdout'] as { text: string }).text);
    expect(isAlive(pid)).toBe(true);
    process.kill(pid, 'SIGKILL');
  });
});

describe('a call that ends early', () => {
  it('by cancellation while it waits leaves the request pending, and a later approval runs nothing', async () => {
    const client = await connect();
    const id = await client.pending('touch after-cancel');
    const cancel = new AbortController();
    let isWaiting = false;
    const onprogress = () => {
      isWaiting = true;
    };
    const waiting = client.call('grants_run', { id }, { signal: cancel.signal, onprogress });
    await eventually(() => isWaiting, 'it waits');
    cancel.abort();
    await expect(waiting).rejects.toThrow();
    expect((await client.call('grants_status', { id })).structure['state']).toBe('pending');
    await decide(`approve ${id}`);
    expect(existsSync(inWork('after-cancel'))).toBe(false);
    expect((await client.call('grants_status', { id })).structure['state']).toBe('approved');
  });

  it.each([
    ['cancellation', async (_client: McpClient, cancel: AbortController) => cancel.abort()],
    ['the end of the client', async (client: McpClient) => client.close()],
    ['the death of the server process', async (client: McpClient) => process.kill(client.pid, 'SIGKILL')],
  ])('by %s kills the whole process group, also what ignores SIGTERM', async (_how, end) => {
    const client = await connect();
    const pids = inWork(`pids-${Date.now()}`);
    const id = await client.pending(
      `trap '' TERM; (echo $BASHPID >> ${pids}; sleep 60) & echo $$ >> ${pids}; wait; sleep 60`,
    );
    await decide(`approve ${id}`);
    const cancel = new AbortController();
    const running = client.call('grants_run', { id }, { signal: cancel.signal });
    const ended = Promise.allSettled([running]);
    const started = await eventually(() => {
      const found = existsSync(pids) ? readFileSync(pids, 'utf8').trim().split('\n').map(Number) : [];
      return found.length === 2 && found;
    }, 'both processes started');
    expect(started.every(isAlive)).toBe(true);
    await end(client, cancel);
    await eventually(() => !started.some(isAlive), 'the whole group is dead');
    for (const end of await ended)
      expect(end.status === 'rejected' || end.value.structure['outcome'] === 'cancelled').toBe(true);
  });

  it('by its time limit is ended, and the answer says so with what it printed', async () => {
    const client = await connect({ variables: { APES_MCP_RUN_TIMEOUT: '5s' } });
    const id = await client.pending('echo first; sleep 60');
    await decide(`approve ${id}`);
    const ran = await client.call('grants_run', { id });
    expect(ran.isError).toBe(true);
    expect(ran.structure).toMatchObject({ outcome: 'timed-out', signal: 'SIGTERM', stdout: { text: 'first\n' } });
    expect(ran.text).toContain('ran longer than 5 s (mcp.run_timeout)');
  });

  it('that has ended is answered at the time limit, although a process in the background goes on printing', async () => {
    const client = await connect({ variables: { APES_MCP_RUN_TIMEOUT: '2s' } });
    const id = await client.pending('(for i in {1..200}; do echo x; sleep 0.1; done) & echo $!');
    await decide(`approve ${id}`);
    const begunAt = Date.now();
    const ran = await client.call('grants_run', { id });
    expect(ran.structure).toMatchObject({ outcome: 'ran', exitStatus: 0, isLeftOpen: true });
    expect(Date.now() - begunAt).toBeLessThan(15_000); // the process in the background prints for 20 s
    // The first x may come before the process number: the two processes write at once.
    const lines = (ran.structure['stdout'] as { text: string }).text.split('\n');
    process.kill(Number(lines.find((line) => /^\d+$/.test(line))), 'SIGKILL');
  });
});

describe('a client with URL elicitation', () => {
  it('is offered the page; opening the page decides nothing', async () => {
    const offered: string[] = [];
    const client = await connect({
      elicit: async ({ params }) => {
        offered.push(`${params.mode} ${'url' in params ? params.url : ''}`);
        return 'accept';
      },
    });
    const answer = await client.call('run', { command: 'touch opened-file' });
    expect(answer.structure).toMatchObject({ outcome: 'pending', page: 'opened' });
    expect(offered).toEqual([`url ${answer.structure['url']}`]);
    expect(answer.text).toContain('has not decided yet');
    const id = String(answer.structure['grantId']);
    expect((await client.call('grants_status', { id })).structure['state']).toBe('pending');
    expect(existsSync(inWork('opened-file'))).toBe(false);
    const waiting = client.call('grants_run', { id });
    await eventually(() => offered[1], 'offered again while it waits');
    await decide(`approve ${id}`);
    expect((await waiting).structure['outcome']).toBe('ran');
    await eventually(() => client.completed.includes(id), 'the client is notified that the page is settled');
  });

  it.each([
    ['cancel', 'dismissed'],
    ['decline', 'declined'],
  ] as const)('that answers %s at once still gets the whole text', async (action, page) => {
    const client = await connect({ elicit: async () => action });
    const answer = await client.call('run', { command: `echo ${action}` });
    const id = String(answer.structure['grantId']);
    expect(answer.structure).toMatchObject({ outcome: 'pending', page, next: { arguments: { id } } });
    expect(answer.text).toContain(`grants_run with {"id":"${id}"}`);
    expect((await client.call('grants_status', { id })).structure['state']).toBe('pending');
  });

  it('that does not answer the offer still gets the output after a decision by another way', async () => {
    let asked = false;
    const client = await connect({
      elicit: () => {
        asked = true;
        return new Promise(() => undefined);
      },
    });
    const waiting = client.call('run', { command: 'echo elsewhere', wait: true });
    await eventually(() => asked, 'offered');
    const [id] = /g_[a-z2-7]{26}/.exec((await stage.run('apes grants list --limit 1')).out) ?? [];
    await decide(`approve ${id}`);
    expect((await waiting).structure).toMatchObject({ outcome: 'ran', stdout: { text: 'elsewhere\n' } });
  });
});

describe('bad input', () => {
  it.each([
    ['run', 'command is missing or is not a string; write it as bash would read it', {}],
    ['run', 'unknown argument "cdw"; known: command, cwd, reason, wait', { command: 'x', cdw: '/' }],
    ['run', 'cwd is "here"; write an absolute path to a directory', { command: 'x', cwd: 'here' }],
    ['run', 'cwd cannot be entered: /nowhere (ENOENT); nothing ran', { command: 'x', cwd: '/nowhere' }],
    ['run', 'wait is "yes"; write true or false', { command: 'x', wait: 'yes' }],
    ['run', 'the command contains a NUL byte; remove the byte; nothing ran', { command: 'a\0b' }],
    ['run', 'the command contains half a surrogate pair; send valid Unicode', { command: 'a\ud800b' }],
    ['run', 'command is empty; write it as bash would read it', { command: ' \n' }],
    ['run', 'the command is longer than 131071 bytes; put the command into a file', { command: 'x'.repeat(131_072) }],
    ['grants_run', 'id is "g_1"; write a grant id', { id: 'g_1' }],
    ['grants_status', 'id is missing; write a grant id', {}],
    ['explain', 'command is missing or is not a string', { command: 7 }],
  ])('to %s gets one clear line: %s', async (tool, line, given) => {
    const client = await connect();
    const answer = await client.call(tool, given);
    expect([answer.isError, ['usage', 'unreadable']]).toEqual([
      true,
      expect.arrayContaining([answer.structure['code']]),
    ]);
    expect(answer.text.slice(0, line.length)).toBe(line);
    expect(answer.text).not.toContain('\n');
  });

  it('with an unknown tool, an unknown grant or a time limit of 0 gets an error that names the fault', async () => {
    const client = await connect();
    await expect(client.call('decide', {})).rejects.toThrow('unknown tool decide; known: run, grants_run');
    expect((await client.call('grants_run', { id: `g_${'a'.repeat(26)}` })).text).toContain(
      'there is no such grant of yours',
    );
    expect((await client.call('grants_run', { id: `g_${'a'.repeat(26)}`, timeoutSeconds: 0 })).text).toContain(
      'timeoutSeconds is 0',
    );
  });
});

it('standard output carries only messages of the protocol, also after input that is no message', async () => {
  const lines = [
    'this is no JSON',
    '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}',
    '{"jsonrpc":"2.0","method":"notifications/initialized"}',
    '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"run","arguments":{"command":"apes grants list --state used --limit 1"}}}',
  ];
  writeFileSync(inWork('lines'), `${lines.join('\n')}\n`);
  const untilAnswered = `until grep -qs '"id":2' answers; do sleep 0.1; done`;
  const ran = await stage.run(`{ cat lines; ${untilAnswered}; } | apes mcp > answers; s=$?; cat answers; exit $s`);
  expect(ran.status).toBe(0);
  const answers = ran.out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { jsonrpc: string; id: number });
  expect(answers.map(({ jsonrpc, id }) => [jsonrpc, id])).toEqual([
    ['2.0', 1],
    ['2.0', 2],
  ]);
  expect(ran.err).toContain('apes: mcp: ');
});

it('with the server down nothing runs, and the answer says so; it works again without a new process', async () => {
  const client = await connect();
  const id = await client.pending('touch while-down');
  const port = /127\.0\.0\.1:(\d+)/.exec((await client.call('grants_status', { id })).text)?.[1];
  await stage.run('apes down');
  const fresh = await connect();
  for (const [tool, given] of [
    ['run', { command: 'touch while-down' }],
    ['grants_run', { id }],
    ['grants_status', { id }],
    ['explain', { command: 'touch while-down' }],
  ] as const) {
    const answer = await fresh.call(tool, given);
    expect([tool, answer.isError, answer.structure['code']]).toEqual([tool, true, 'unavailable']);
  }
  expect(existsSync(inWork('while-down'))).toBe(false);
  expect((await stage.run(`apes up --port ${port} --json`)).status).toBe(0);
  await decide(`approve ${id}`);
  expect((await fresh.call('grants_run', { id })).structure).toMatchObject({ outcome: 'ran', exitStatus: 0 });
  expect(existsSync(inWork('while-down'))).toBe(true);
});

describe('a plan over MCP', () => {
  const plan = {
    reason: 'Make two files',
    for: '1h',
    order: true,
    parts: [{ line: 'touch planned-a' }, { line: 'touch planned-b', uses: 2 }],
  };

  it('waits, is approved in part by a human, covers its lines in order, and shows how many uses of each part are left', async () => {
    const client = await connect();
    const filed = await client.call('plan', { plan });
    expect([filed.isError, filed.structure['outcome']]).toEqual([false, 'pending']);
    const { grantId: id } = filed.structure['grant'] as { grantId: string };
    expect(filed.text).toContain('1. touch planned-a');
    const before = await client.call('grants_status', { id });
    expect(before.text).toContain('Not decided yet: no part covers a line.');
    expect(before.text).not.toContain('grants_run');
    expect(before.structure['parts']).toMatchObject([{ state: 'not decided' }, { state: 'not decided', uses: 2 }]);
    expect((await client.call('run', { command: 'touch planned-a' })).structure).toMatchObject({ outcome: 'pending' });
    expect((await client.call('plan', { plan })).structure['grant']).toMatchObject({ grantId: id });

    await decide(`approve ${id} --narrow 2=1`);
    expect((await client.call('plan', { plan })).structure).toMatchObject({
      outcome: 'approved',
      grant: { grantId: id },
    });
    expect((await client.call('run', { command: 'touch planned-b' })).structure).toMatchObject({ outcome: 'pending' });
    expect(existsSync(inWork('planned-b'))).toBe(false);
    for (const line of ['touch planned-a', 'touch planned-b'])
      expect((await client.call('run', { command: line })).structure).toMatchObject({ outcome: 'ran', grantId: id });
    expect([existsSync(inWork('planned-a')), existsSync(inWork('planned-b'))]).toEqual([true, true]);
    expect((await client.call('grants_status', { id })).structure).toMatchObject({ state: 'used' });
  });

  it('cannot be run by its id, and the answer says what to do instead', async () => {
    const client = await connect();
    const filed = await client.call('plan', { plan: { ...plan, order: false, reason: 'again' } });
    const { grantId: id } = filed.structure['grant'] as { grantId: string };
    await decide(`approve ${id}`);
    const status = await client.call('grants_status', { id });
    expect(status.structure['parts']).toMatchObject([{ state: 'covered', used: 0 }, { state: 'covered' }]);
    const ran = await client.call('grants_run', { id });
    expect([ran.isError, ran.text]).toEqual([true, expect.stringContaining('once it is approved, run its lines')]);
    await decide(`revoke ${id}`);
  });

  it.each([
    [{ parts: [{ line: 'ls' }] }, 'the plan has no end'],
    [{ for: '1h', parts: [{ line: 'ls', use: 1 }] }, 'unknown key "use"'],
    [{ for: '1h', parts: [] }, 'has no parts'],
    ['touch x', 'the plan'],
  ])('is refused with the fault if it is no valid plan: %j', async (wrong, message) => {
    const client = await connect();
    const answer = await client.call('plan', { plan: wrong });
    expect([answer.isError, answer.text]).toEqual([true, expect.stringContaining(message)]);
  });
});
