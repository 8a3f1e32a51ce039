/**
 * Promise 7 of SECURITY.md on a terminal: a terminal acts on nothing in a text of a requester, a server, a file or a harness, and nothing in
 * it is invisible, whatever verb or message shows the text. Every field of requests has the same planted text here.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { coloursFor } from '../../src/cli/colour.ts';
import { ProxiedClient } from '../scenario/mcp-behind-proxy.ts';
import { McpClient } from '../scenario/mcp-client.ts';
import { Keyboard } from '../terminal/keyboard.ts';
import { GatedStage } from './gated-stage.ts';

/** A colour of ours, CSI in both forms, BEL, CR, OSC, DEL, controls of the direction of text, and characters without a width. */
const PLANTED =
  '\u001b[31mPLANTED\u009b2J\u0007\r\u001b]0;t\u0007\u007f\u202e\u2066\u200e\u200b\u2060\ufeff\u00ad\u3164\u2028\u{e0041}';

/** A character on which a terminal acts, or that cannot be seen. Newlines and tabs of our texts are allowed. */
const ACTS_OR_HIDES = /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;

const gated = new GatedStage();
const ids: Record<string, string> = {};
const work = () => join(gated.scratch, 'work');
const idIn = (text: string): string => /g_[a-z2-7]{26}/.exec(text)?.[0] ?? `no id in ${text}`;

function expectHarmless(call: string, text: string): void {
  const at = ACTS_OR_HIDES.exec(text)?.index;
  expect([call, at === undefined ? '' : JSON.stringify(text.slice(Math.max(0, at - 60), at + 20))]).toEqual([call, '']);
}

/** Runs a call of a shell without a terminal. Nothing of what it prints acts or hides. */
async function harmless(call: string): Promise<string> {
  const { out, err } = await gated.run(call);
  expectHarmless(`${call} (standard output)`, out);
  expectHarmless(`${call} (standard error)`, err);
  return out + err;
}

/** Runs a call on a terminal. Of all that it prints, only our colours act. */
async function harmlessOnTerminal(call: string): Promise<string> {
  const path = (await gated.run('echo $PATH')).out.trim();
  const keys = new Keyboard({
    argv: ['/bin/bash', '-c', `${call}\necho END-OF-CALL`],
    cwd: work(),
    environment: {
      HOME: join(gated.scratch, 'home'),
      APES_HOME: gated.apesHome,
      PATH: path,
      TERM: 'xterm-256color',
      LC_ALL: 'C.UTF-8',
    },
  });
  await keys.see(/END-OF-CALL/);
  await keys.exit;
  const text = Buffer.from(keys.printed, 'latin1').toString('utf8').replaceAll('\r\n', '\n');
  expect([call, text.includes('\u001b[31mPLANTED')]).toEqual([call, false]);
  expectHarmless(`${call} (terminal)`, text.replace(/\u001b\[(?:0|1|2|31|32|33|36|97;40)m/g, ''));
  return text;
}

const fileEvent = () =>
  JSON.stringify({
    hook_event_name: 'PreToolUse',
    session_id: 's',
    cwd: work(),
    tool_name: 'Write',
    tool_input: { file_path: join(work(), `f${PLANTED}`), content: `x${PLANTED}\n` },
  });

/** Puts the text where only the server writes: a server can lie about names, and an approver's texts come from it. */
function plantOnServer(): void {
  const store = new Database(join(gated.apesHome, 'data/grants.sqlite'));
  store.prepare('UPDATE grants SET requester_name = ?').run(`r${PLANTED}`);
  store.prepare(`UPDATE grants SET deny_reason = ? WHERE state = 'denied'`).run(`d${PLANTED}`);
  const subject = store.prepare(
    'INSERT INTO subjects (id, role, name, host, user_name, public_key, created_at_ms) VALUES (?, ?, ?, ?, ?, ?, 1)',
  );
  subject.run('s_planted', 'requester', `n${PLANTED}`, `h${PLANTED}`, `u${PLANTED}`, 'none');
  const owner = store.prepare(`SELECT id FROM subjects WHERE role <> 'requester' LIMIT 1`).get() as { id: string };
  store
    .prepare(`INSERT INTO sessions (hash, subject_id, created_at_ms, expires_at_ms, last_seen_at_ms, browser)
      VALUES ('planted', ?, 1, 99999999999999, 1, ?)`)
    .run(owner.id, `b${PLANTED}`);
  store
    .prepare(`INSERT INTO notification_channels (id, approver_id, kind, name, target, sealed, created_at_ms, last_at_ms, last_ok, last_text)
      VALUES ('planted', ?, 'webhook', ?, ?, 'x', 1, 1, 0, ?)`)
    .run(owner.id, `c${PLANTED}`, `t${PLANTED}`, `l${PLANTED}`);
  store.close();
}

beforeAll(async () => {
  await gated.open();
  writeFileSync(join(gated.scratch, 'planted'), PLANTED);
  writeFileSync(join(gated.scratch, 'event.json'), fileEvent());
  mkdirSync(join(work(), `d${PLANTED}`));
  writeFileSync(
    join(work(), 'plan.json'),
    JSON.stringify({ reason: `r${PLANTED}`, for: '1h', parts: [{ line: `true '${PLANTED}'` }] }),
  );
});
afterAll(() => gated.close());

const P = '"$(cat "$SCRATCH/planted")"';

describe('a request with planted text', () => {
  it('is filed by each way to ask, and the answer is harmless', async () => {
    const calls: Record<string, string> = {
      line: `P=${P}; cd "d$P" && GIT_PAGER="x$P" ape-shell -c "echo '$P'" "a$P" "b$P"`,
      reasons: `ape-shell -c "cmake -B b -D \\$'X=/\\\\e[31mPLANTED\\\\u202e'"`,
      json: `P=${P}; ape-shell --json -c "echo json '$P'"`,
      human: `P=${P}; APES_USER=human ape-shell -c "echo human '$P'"`,
      argv: `P=${P}; apes run --reason "r$P" -- echo "$P"`,
      session: `P=${P}; apes sessions start --detached --no-wait --reason "r$P" -- echo "$P"`,
      plan: 'apes plan plan.json',
      file: 'apes hooks gate claude-code < "$SCRATCH/event.json"',
      denied: `P=${P}; apes run -- echo denied "$P"`,
    };
    for (const [name, call] of Object.entries(calls)) ids[name] = idIn(await harmless(call));
    for (const [name, id] of Object.entries(ids)) expect([name, id]).toEqual([name, expect.stringMatching(/^g_/)]);
    await gated.run(`apes grants deny ${ids['denied']}`);
  });

  it('is filed by an MCP client, whose texts are harmless after JSON is read', async () => {
    const client = await McpClient.connect(gated);
    for (const [tool, given] of [
      ['run', { command: `echo mcp '${PLANTED}'`, reason: `r${PLANTED}` }],
      ['explain', { command: `echo mcp '${PLANTED}'`, cwd: join(work(), `d${PLANTED}`) }],
      ['run', { command: 'true', [`x${PLANTED}`]: 1 }],
      ['run', { command: 'true', cwd: `/no/${PLANTED}` }],
      ['grants_status', { id: ids['denied'] }],
      ['grants_run', { id: ids['denied'] }],
      ['grants_status', { id: `g_${PLANTED}` }],
    ] as const)
      expectHarmless(`mcp ${tool}`, (await client.call(tool, given)).text);
    await client.close();
  });

  it('is filed by a client of a server behind the proxy', async () => {
    const server = join(gated.scratch, 'server.mjs');
    writeFileSync(
      server,
      `import { createInterface } from 'node:readline';
       createInterface({ input: process.stdin }).on('line', (line) => {
         const { id, method } = JSON.parse(line);
         const result = method === 'initialize'
           ? { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'a', version: '1' } }
           : { tools: [{ name: 'look' + ${JSON.stringify(PLANTED)}, description: ${JSON.stringify(PLANTED)}, inputSchema: { type: 'object' } }] };
         if (id !== undefined) process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
       });`,
    );
    const proxied = await ProxiedClient.connect(gated, ['node', server, `a${PLANTED}`]);
    await proxied.client.listTools();
    const { text } = await proxied.call(`look${PLANTED}`, { [`k${PLANTED}`]: PLANTED });
    expectHarmless('mcp-proxy', text);
    ids['tool'] = idIn(text);
    await proxied.close();
  });

  it('is shown harmlessly by every verb, on a terminal and without one, also as JSON', async () => {
    plantOnServer();
    const shows = Object.values(ids).flatMap((id) => [`apes grants show ${id}`, `apes grants why ${id}`]);
    const others = ['line', 'tool', 'denied'].flatMap((name) =>
      ['status', 'proposals', 'run'].map((verb) => `apes grants ${verb} ${ids[name]}`),
    );
    const lists = [
      'apes grants list',
      'apes grants inbox',
      'apes plan list',
      'apes owner requesters list',
      'apes owner sign-ins list',
      'apes owner devices list',
      'apes owner people list',
      'apes owner on-call',
      'apes notifications list',
      'apes sessions list',
      'apes whoami',
      'apes health',
      `apes grants watch ${ids['denied']}`,
      `apes plan show ${ids['plan']}`,
      `apes plan wait ${ids['plan']} --timeout 1s`,
    ];
    for (const call of shows) {
      expect(await harmless(call)).toContain('PLANTED');
      const { out } = await gated.run(`${call} --json`);
      expectHarmless(`${call} --json`, out);
      expect(JSON.stringify(JSON.parse(out))).toContain(
        JSON.stringify(PLANTED.slice('\u001b[31m'.length)).slice(1, -1),
      );
    }
    for (const call of [...others, ...lists]) {
      await harmless(call);
      await harmless(`${call} --json`);
    }
    for (const call of [...lists, `apes grants show ${ids['line']}`, `apes grants why ${ids['reasons']}`])
      await harmlessOnTerminal(call);
  });

  it('is explained and refused harmlessly', async () => {
    for (const call of [
      `P=${P}; apes explain "echo '$P'; cmake -B b -D X=/$P"`,
      'apes explain "cmake -B b -D \\$\'X=/\\\\e[31mPLANTED\\\\u202e\'"',
      `P=${P}; cd "d$P" && apes explain ls "$P"`,
      ...[
        'grants show',
        'grants approve',
        'sessions show',
        'send',
        'owner people revoke',
        'hooks check',
        'login',
        '',
      ].map((verb) => `P=${P}; apes ${verb} "x$P"`),
      `P=${P}; apes grants list --state "$P"`,
      `P=${P}; apes "--x$P"`,
      `P=${P}; apes notifications test "$P"`,
      `P=${P}; apes run -- "/no/such$P"`,
      `P=${P}; ape-shell "/no/such$P"`,
      `P=${P}; printf '%s' "{\\"tool_name\\":\\"$P\\"}" | apes hooks gate claude-code`,
    ])
      await harmlessOnTerminal(call);
  });

  it('is decided about harmlessly', async () => {
    for (const name of ['line', 'file', 'argv', 'tool']) await harmlessOnTerminal(`apes grants approve ${ids[name]}`);
    await harmless(`apes grants approve ${ids['session']}`);
    await harmless(`P=${P}; apes grants deny ${ids['json']} --reason "$P"`);
    await harmless(`apes grants run ${ids['json']}`);
    await harmless(`apes grants list`);
  });

  it('is shown harmlessly by :status of an interactive shell', async () => {
    await gated.run(`mkdir -p status; echo "PS1='U# '" >"$HOME/.bashrc"`);
    const keys = await gated.session('status');
    keys.type(':status\r');
    await keys.see(/session {5}/);
    const [said] = await keys.see(/pending[\s\S]*?U# $/);
    const lines = Buffer.from(said, 'latin1').toString('utf8').split('\r\n').slice(0, -1).join('\n');
    expect(lines).toContain('PLANTED');
    expectHarmless(':status', lines);
    keys.close();
  });
});

it('a name of our colours in a text is no colour', () => {
  const { paint, finish } = coloursFor(true, (name) => (name === 'TERM' ? 'xterm' : undefined));
  const other = coloursFor(true, () => undefined);
  expect(finish(`${paint('red', 'denied')} ${PLANTED}`)).toMatch(/^\u001b\[31mdenied\u001b\[0m ␛\[31mPLANTED/);
  expectHarmless('the colour of another process', finish(other.paint('red', 'denied')));
});
