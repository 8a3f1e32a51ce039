/** At high, critical and unknown risk the requester's side shows the number that the approver picks; at lower risk it shows none. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { GatedStage } from './gated-stage.ts';

const gated = new GatedStage();
beforeAll(() => gated.open());
afterAll(() => gated.close());

/** Returns the number of a request, read with the owner key on the requester's side. */
const numberOf = async (id: string): Promise<string> =>
  /number to pick: *(\d\d)$/m.exec((await gated.run(`apes grants show ${id}`)).out)?.[1] ?? 'none';
const idIn = (text: string): string => /g_[a-z2-7]{26}/.exec(text)?.[0] ?? '';
const BLOCK_LINE = /^ {2}number: {3}(\d\d) \(the approver has to pick it; tell it to them\)$/m;

it('the number is in the pending block that an agent gets', async () => {
  const { status, err } = await gated.run("ape-shell -c 'rm -rf number'");
  expect(status).toBe(75);
  const number = await numberOf(idIn(err));
  expect(number).toMatch(/^\d\d$/);
  expect(BLOCK_LINE.exec(err)?.[1]).toBe(number);
  // The same request again shows the same number.
  expect(BLOCK_LINE.exec((await gated.run("ape-shell -c 'rm -rf number'")).err)?.[1]).toBe(number);
});

it('the number is in the pending block of a plan, and of a tool of a harness', async () => {
  gated.file('plan.json', JSON.stringify({ reason: 'r', for: '1h', parts: [{ line: 'rm -rf planned' }] }));
  const plan = await gated.run('apes plan plan.json 2>&1');
  expect(BLOCK_LINE.exec(plan.out)?.[1]).toBe(await numberOf(idIn(plan.out)));
  const call = JSON.stringify({
    hook_event_name: 'PreToolUse',
    tool_name: 'Write',
    tool_input: { file_path: `${gated.scratch}/home/.bashrc`, content: 'x' },
    cwd: `${gated.scratch}/work`,
  });
  const tool = await gated.run(`printf '%s' '${call}' | apes hooks gate claude-code`);
  const answer = `${tool.out}${tool.err}`.replaceAll('\\n', '\n');
  expect([answer, BLOCK_LINE.exec(answer)?.[1]]).toEqual([answer, await numberOf(idIn(answer))]);
});

it('the number is in the answer for programs and in the short block for people', async () => {
  const json = await gated.run("ape-shell --json -c 'rm -rf json' 2>&1");
  const number = await numberOf(idIn(json.out));
  expect(json.out).toContain(`"match":"${number}"`);
  const human = await gated.run("APES_USER=human ape-shell -c 'rm -rf human' 2>&1");
  expect(human.out).toContain(`(the approver picks ${await numberOf(idIn(human.out))})`);
});

it('an interactive shell that waits shows the number', async () => {
  await gated.run(`mkdir -p numbers; echo "PS1='U# '" >"$HOME/.bashrc"`);
  const keys = await gated.session('numbers');
  keys.type('rm -rf interactive\r');
  const [said, id = '', number = ''] = await keys.see(/(g_[a-z2-7]{26})[^\n]*\(the approver picks (\d\d)\)\r\n/);
  expect([said, number]).toEqual([said, await numberOf(id)]);
  keys.close();
});

it('the start of a session shows the number, when it waits and when it does not', async () => {
  const { err } = await gated.run('apes session start --detached --no-wait -- rm -rf session');
  expect([err, /\(the approver picks (\d\d)\)/.exec(err)?.[1]]).toEqual([err, await numberOf(idIn(err))]);
  const waiting = await gated.run('apes session start --detached --timeout 2s -- rm -rf waiting');
  const [said] = waiting.err.split('\n');
  expect([said, /\(the approver picks (\d\d)\)/.exec(said ?? '')?.[1]]).toEqual([
    said,
    await numberOf(idIn(said ?? '')),
  ]);
});

it('at lower risk no number is shown', async () => {
  const { err } = await gated.run("ape-shell -c 'touch low'");
  expect(err).toContain('NOT RUN YET');
  expect(err).not.toContain('number:');
  expect(await numberOf(idIn(err))).toBe('none');
});
