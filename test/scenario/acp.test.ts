/** `apes acp` with the library of the Agent Client Protocol at both ends: which requests wait, and which answers agent and editor get. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { GatedStage } from '../security/gated-stage.ts';
import { ACP_AGENT, AcpEditor, inInbox, permission } from './acp-editor.ts';

const stage = new GatedStage();
const editors: AcpEditor[] = [];
let log = '';

beforeAll(() => stage.open());
afterEach(async () => {
  await Promise.all(editors.splice(0).map((editor) => editor.close()));
});
afterAll(() => stage.close());

async function start(...options: string[]): Promise<AcpEditor> {
  log = join(stage.scratch, `answers-${Math.random()}`);
  writeFileSync(log, '');
  const editor = await AcpEditor.start(stage, ['node', ACP_AGENT, log], options);
  editors.push(editor);
  return editor;
}

const answers = () => readFileSync(log, 'utf8').trim().split('\n');

describe('a request for permission', () => {
  it('waits in the inbox with all that the agent sent, and is allowed once when it is approved', async () => {
    const editor = await start();
    const toolCallId = 'early';
    const over = editor.ask(
      [
        'update',
        { update: { sessionUpdate: 'tool_call', toolCallId, title: 'Push', rawInput: { remote: 'origin-7' } } },
      ],
      permission('', { toolCall: { toolCallId, kind: 'execute' } }),
    );
    const id = await inInbox(stage, 'origin-7');
    const shown = await stage.run(`apes grants show ${id}`);
    expect(shown.out).toContain('agent:');
    expect(shown.out).toContain('"title": "Push"');
    await stage.run(`apes grants approve ${id}`);
    expect(await over).toBe('end_turn');
    expect(answers()).toEqual(['{"outcome":{"outcome":"selected","optionId":"once"}}']);
    expect(editor.reached).toEqual([]);
    await editor.untilUpdate(new RegExp(`NOT RUN YET: waiting for a decision on grant ${id}: http`));
    await editor.untilUpdate(/"sessionUpdate":"tool_call_update"/);
  });

  it('is rejected once when it is denied, and the editor gets the reason', async () => {
    const editor = await start();
    const over = editor.ask(permission('denied-one'));
    await stage.run(`apes grants deny ${await inInbox(stage, 'denied-one')} --reason 'not on a friday'`);
    await over;
    expect(answers()[0]).toMatch(/^{"outcome":{"outcome":"selected","optionId":"no"}.*not on a friday/);
    await editor.untilUpdate(/not on a friday/);
  });

  it('is rejected if no approver decides in time, stays pending, and can be made again after the approval', async () => {
    const editor = await start('--timeout', '1s');
    await editor.ask(permission('late-one'));
    expect(answers()[0]).toContain('"optionId":"no"');
    await stage.run(`apes grants approve ${await inInbox(stage, 'late-one')}`);
    await editor.ask(permission('late-one'), permission('late-one'));
    expect(answers()[1]).toBe('{"outcome":{"outcome":"selected","optionId":"once"}}');
    expect(answers()[2]).toContain('"optionId":"no"');
  });

  it('is allowed once each time, under an approval for always', async () => {
    const editor = await start();
    const over = editor.ask(permission('always-one'), permission('always-one'), permission('always-one'));
    const id = await inInbox(stage, 'always-one');
    expect((await stage.run(`apes grants proposals ${id}`)).out).toContain('nothing wider may be given');
    await stage.run(`apes grants approve ${id} --term always`);
    await over;
    expect(new Set(answers())).toEqual(new Set(['{"outcome":{"outcome":"selected","optionId":"once"}}']));
  });

  it('is answered as cancelled when the turn is cancelled, whatever is decided later', async () => {
    const editor = await start();
    const over = editor.ask(permission('stopped-one'));
    const id = await inInbox(stage, 'stopped-one');
    await editor.cancel();
    await over;
    expect(answers()).toContain('{"outcome":{"outcome":"cancelled"}}');
    await stage.run(`apes grants approve ${id}`);
    expect((await stage.run(`apes grants status ${id}`)).out).toContain('approved');
  });
});

describe('at a call of the agent, the editor', () => {
  it('starts no terminal before approval, and then runs exactly what was shown', async () => {
    const editor = await start();
    const command = { command: 'make', args: ['deploy-9'], env: [{ name: 'A', value: 'b' }], cwd: '/tmp' };
    const over = editor.ask(['terminal/create', { ...command, _meta: { order: 'other' } }]);
    const id = await inInbox(stage, 'deploy-9');
    expect(editor.reached).toEqual([]);
    await stage.run(`apes grants approve ${id}`);
    await over;
    expect(editor.reached).toEqual([`terminal ${JSON.stringify({ sessionId: editor.sessionId, ...command })}`]);
    expect(answers()).toEqual(['{"terminalId":"t"}']);
  });

  it('writes no file before approval', async () => {
    const editor = await start();
    const path = join(stage.scratch, 'work/new-file.txt');
    const over = editor.ask(['fs/write_text_file', { path, content: 'text of the agent\n' }]);
    const id = await inInbox(stage, 'new-file.txt');
    expect(existsSync(path)).toBe(false);
    await stage.run(`apes grants approve ${id}`);
    await over;
    expect(readFileSync(path, 'utf8')).toBe('text of the agent\n');
  });

  it('reads files of the project without a grant, and private keys only with a grant', async () => {
    const editor = await start('--timeout', '1s');
    mkdirSync(join(stage.scratch, 'home/.ssh'), { recursive: true });
    const key = join(stage.scratch, 'home/.ssh/id_rsa');
    writeFileSync(key, 'SECRET');
    const plain = join(stage.scratch, 'work/plain.txt');
    writeFileSync(plain, 'plain');
    await editor.ask(['fs/read_text_file', { path: plain }], ['fs/read_text_file', { path: key }]);
    expect(editor.reached).toEqual([`read ${plain}`]);
    expect(answers()[0]).toBe('{"content":"plain"}');
    expect(answers()[1]).toContain('NOT RUN');
  });
});

describe('while the grant server is down', () => {
  it('every request is rejected, and the editor shows why', async () => {
    const editor = await start();
    await stage.run('apes down');
    await editor.ask(permission('no-server'), ['terminal/create', { command: 'true' }]);
    expect(answers()[0]).toContain('"optionId":"no"');
    expect(answers()[1]).toContain('NOT RUN');
    await editor.untilUpdate(/NOT RUN/);
    expect(editor.reached).toEqual([]);
  });
});
