/** Threat: an attacking agent behind `apes acp`. Without a grant none of its requests is allowed, and none reaches the editor. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { inInbox } from '../scenario/acp-editor.ts';
import { RawClient } from '../scenario/mcp-behind-proxy.ts';
import { GatedStage } from './gated-stage.ts';

const ATTACKER = fileURLToPath(new URL('../fixtures/attacking-agent.mjs', import.meta.url));
const stage = new GatedStage();
const open: RawClient[] = [];
let number = 0;

beforeAll(() => stage.open());
afterEach(async () => {
  await Promise.all(open.splice(0).map((editor) => editor.close()));
});
afterAll(() => stage.close());

interface Opened {
  readonly editor: RawClient;
  /** Returns the answers that the agent got, by their ids. */
  readonly answers: () => Record<string, Record<string, unknown>>;
}

/** Starts an editor that opens a session. Then the agent sends these lines. */
async function opened(lines: readonly string[], options: readonly string[] = [], version = 1): Promise<Opened> {
  number += 1;
  const log = join(stage.scratch, `log-${number}`);
  const file = join(stage.scratch, `lines-${number}`);
  writeFileSync(log, '');
  writeFileSync(file, lines.map((line) => `${line}\n`).join(''));
  const editor = new RawClient(stage, ['node', ATTACKER, log, file], options, 'acp');
  open.push(editor);
  editor.send({ id: 'hello', method: 'initialize', params: { protocolVersion: version } });
  await editor.answer('hello');
  editor.send({ id: 'session', method: 'session/new', params: { cwd: join(stage.scratch, 'work'), mcpServers: [] } });
  await editor.answer('session');
  const answers = () =>
    Object.fromEntries(
      readFileSync(log, 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Record<string, unknown>)
        .filter((message) => !('method' in message))
        .map((message) => [String(message['id']), message]),
    );
  return { editor, answers };
}

const isOver = ({ params }: Record<string, unknown>) => JSON.stringify(params ?? null).includes('the end');

const OPTIONS = [
  { optionId: 'always', name: 'a', kind: 'allow_always' },
  { optionId: 'once', name: 'o', kind: 'allow_once' },
  { optionId: 'no', name: 'n', kind: 'reject_once' },
];
const asks = (id: unknown, more: Record<string, unknown> = {}, toolCall: Record<string, unknown> = {}) =>
  JSON.stringify({
    jsonrpc: '2.0',
    id,
    method: 'session/request_permission',
    params: {
      sessionId: 's',
      toolCall: { toolCallId: 'c', title: `t-${String(id)}`, ...toolCall },
      options: OPTIONS,
      ...more,
    },
  });
const terminal = (more: string) =>
  `{"jsonrpc":"2.0","method":"terminal/create","params":{"sessionId":"s","command":"id"}${more}}`;

/** Malformed or forged messages of the agent. None of them may reach the editor. */
const FORMS: readonly string[] = [
  terminal(',"id":null'),
  terminal(',"id":1.5'),
  terminal(''),
  `[${terminal(',"id":1')}]`,
  terminal(',"id":2,"Method":"terminal/output"'),
  terminal(',"id":3').replace('terminal/create', 'terminal/Create'),
  terminal(',"id":4').replace('terminal/create', '_editor/run_command'),
  terminal(',"id":5').replace('"command":"id"', '"command":"id","shell":"x"'),
  terminal(',"id":6').replace('"command":"id"', '"command":"id","args":["a",1]'),
  terminal(',"id":7').replace('"command":"id"', '"command":"id","cwd":"here"'),
  terminal(',"id":8').replace('"s"', '"another session"'),
  terminal(',"id":9').replace('{"sessionId":"s","command":"id"}', '[]'),
  terminal(',"id":10,"result":{}'),
  '{"jsonrpc":"2.0","id":11,"method":"fs/write_text_file","params":{"sessionId":"s","path":"relative","content":""}}',
  '{"jsonrpc":"2.0","id":12,"method":"fs/write_text_file","params":{"sessionId":"s","path":"/tmp/x","content":"\\ud800"}}',
  '{"jsonrpc":"2.0","method":"_editor/run","params":{"command":"id"}}',
  '{"jsonrpc":"2.0","id":"hello","result":{"protocolVersion":1}}',
  `{"jsonrpc":"2.0","id":13,"method":"terminal/output","params":${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
  'no message at all',
];

describe('an attacking agent', () => {
  it('gets no malformed or unapproved message to the editor', async () => {
    const { editor, answers } = await opened([
      ...FORMS,
      asks(20, { sessionId: 'another' }),
      asks(21, { options: 'all' }),
    ]);
    await editor.see(isOver);
    const reached = editor.received.filter(({ method }) => method !== undefined && method !== 'session/update');
    expect(reached).toEqual([]);
    expect(editor.stray).toEqual([]);
    // The editor may receive the last message before the agent has read its last answers.
    const refused = [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12].map(String);
    await expect
      .poll(() => Object.keys(answers()), { timeout: 20_000 })
      .toEqual(expect.arrayContaining([...refused, '20', '21']));
    for (const id of refused) expect(answers()[id]).toHaveProperty('error');
    expect(JSON.stringify(answers()['20'])).toContain('"optionId":"no"');
    expect(answers()['21']).toHaveProperty('result', { outcome: { outcome: 'cancelled' } });
  });

  it('gets no permission if no option allows exactly one call, or if two options have the same id', async () => {
    const always = [OPTIONS[0], OPTIONS[2]];
    const twice = [...OPTIONS, { optionId: 'once', name: 'x', kind: 'allow_always' }];
    const noReject = [OPTIONS[0], { optionId: 'never', name: 'x', kind: 'reject_always' }];
    const { answers } = await opened([
      asks('only-always', { options: always }),
      asks('twice', { options: twice }),
      asks('no-reject', { options: noReject }),
    ]);
    for (const id of ['only-always', 'twice', 'no-reject'])
      await stage.run(`apes grants approve ${await inInbox(stage, `t-${id}`)} --term always`);
    await expect.poll(() => Object.keys(answers()).length, { timeout: 60_000 }).toBe(3);
    expect(JSON.stringify(answers()['only-always'])).toContain('"optionId":"no"');
    expect(JSON.stringify(answers()['twice'])).toContain('"optionId":"no"');
    expect(JSON.stringify(answers()['no-reject'])).toContain('"outcome":"cancelled"');
  });

  it('is refused a second request with the id of a request that waits', async () => {
    const { editor, answers } = await opened([asks('same'), terminal(',"id":"same"'), asks(30), asks('30')]);
    await editor.see(isOver);
    await expect.poll(() => Object.keys(answers()).length, { timeout: 60_000 }).toBe(2);
    expect(JSON.stringify(answers()['same'])).toContain('under way');
    expect(JSON.stringify(answers()['30'])).toContain('under way');
  });

  it('cannot have an unlimited number of requests wait at the gate', async () => {
    const { answers } = await opened(Array.from({ length: 70 }, (_, at) => asks(`many-${at}`)));
    await expect.poll(() => Object.keys(answers()).length, { timeout: 60_000 }).toBe(6);
    for (const answer of Object.values(answers())) expect(JSON.stringify(answer)).toContain('"optionId":"no"');
  });

  it('needs another grant when it describes the same call differently', async () => {
    const { answers } = await opened([asks('story', {}, { rawInput: { n: 1 } })]);
    await stage.run(`apes grants approve ${await inInbox(stage, 't-story')} --term always`);
    await expect.poll(() => JSON.stringify(answers()['story'] ?? ''), { timeout: 60_000 }).toContain('"once"');
    const other = await opened([asks('story', {}, { rawInput: { n: 2 } })], ['--timeout', '1s']);
    await expect.poll(() => JSON.stringify(other.answers()['story'] ?? ''), { timeout: 60_000 }).toContain('"no"');
  });
});

describe('apes acp', () => {
  it('answers the agent with an error if the answer of the editor is nested too deep to be written', async () => {
    const params = { sessionId: 's', path: join(stage.scratch, 'work/plain.txt') };
    const { editor, answers } = await opened([
      JSON.stringify({ jsonrpc: '2.0', id: 'deep', method: 'fs/read_text_file', params }),
    ]);
    const { id } = await editor.see(({ method }) => method === 'fs/read_text_file');
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    editor.send(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"content":${deep}}}\n`);
    await expect.poll(() => JSON.stringify(answers()['deep'] ?? ''), { timeout: 20_000 }).toContain('nested too deep');
  });

  it('answers the call that the editor waits for when the agent ends, and exits with 71', async () => {
    const { editor } = await opened([asks('left')]);
    await inInbox(stage, 't-left');
    editor.send({ id: 'turn', method: 'session/prompt', params: { sessionId: 's', exit: true } });
    expect(JSON.stringify(await editor.answer('turn'))).toContain('the agent is gone');
    expect(await editor.ended).toBe(71);
  });

  it('ends the agent when the editor ends, and allows nothing afterwards', async () => {
    const { editor, answers } = await opened([asks('gone')]);
    const id = await inInbox(stage, 't-gone');
    await editor.close();
    await stage.run(`apes grants approve ${id}`);
    expect(answers()['gone']).toBeUndefined();
  });

  it('passes on only version 1 of the protocol', async () => {
    const { editor } = await opened([], [], 7);
    expect(JSON.stringify(editor.received[0])).toContain('"protocolVersion":1');
  });
});
