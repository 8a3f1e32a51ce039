/** A host that makes a new key does not end its running shells. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { GatedStage } from './gated-stage.ts';

const gated = new GatedStage();
beforeAll(() => gated.open());
afterAll(() => gated.close());

test('a running shell goes on after its requester has a new key: it runs covered lines, and a waiting line after its approval', async () => {
  await gated.run(`mkdir -p rotating; echo "PS1='U# '" >"$HOME/.bashrc"`);
  const keys = await gated.session('rotating');
  const type = async (line: string, expected: RegExp) => {
    keys.type(`${line}\r`);
    return keys.see(expected);
  };
  const approve = async (id: string, term: string) =>
    expect((await gated.run(`apes grants show ${id}; apes grants approve ${id} --term ${term}`)).status).toBe(0);
  const code = async () => /key (\S+)/.exec((await gated.run('apes whoami')).out)?.[1] ?? '';
  const [standing = ''] = await type('echo stan""ding', /g_[a-z2-7]{26}/);
  await approve(standing, 'always');
  await keys.see(/[\r\n]standing\r\n[\s\S]*U# $/);
  const before = await code();

  const [waiting = ''] = await type('echo wait""ing', /g_[a-z2-7]{26}/);
  expect((await gated.run('apes key rotate')).status).toBe(0);
  expect(await code()).not.toBe(before);
  await approve(waiting, 'once');
  await keys.see(/waiting\r\n[\s\S]*U# $/);
  await type('echo stan""ding', /[\r\n]standing\r\n[\s\S]*U# $/);

  // The server refuses the old key now, so the shell signs in with the new key for the next lines.
  expect((await gated.run('apes key rotate')).status).toBe(0);
  await type('echo stan""ding', /[\r\n]standing\r\n[\s\S]*U# $/);
  const [next = ''] = await type('echo ne""xt', /g_[a-z2-7]{26}/);
  await approve(next, 'once');
  await keys.see(/next\r\n[\s\S]*U# $/);
  keys.close();
});
