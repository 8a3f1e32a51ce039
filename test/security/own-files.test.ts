/** A standing grant for the directory in which APES_HOME is covers no line that reaches the files of ape-shell itself. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Stage } from '../scenario/stage.ts';

const stage = new Stage();
const run = (command: string) => stage.run(`cd "$SCRATCH/work/project" && APES_HOME=$PWD/apes && ${command}`);
const ask = (line: string) => run(`ape-shell -c '${line}'`);

beforeAll(async () => {
  await stage.run('mkdir -p "$SCRATCH/work/project/notes"');
  const up = await run(
    'apes up --port 0 && apes owner key create --here && echo x | tee f g notes/f && ln -s apes way',
  );
  expect(up).toMatchObject({ status: 0 });
  for (const line of ['rm f', 'tee f <g', 'cat f']) {
    const id = /g_[a-z2-7]{26}/.exec((await ask(line)).err)?.[0];
    expect(await run(`apes grants approve ${id} --term always --as operation`)).toMatchObject({ status: 0 });
  }
});
afterAll(async () => {
  await run('apes down');
  stage.close();
});

test.each(['cat f', 'tee h <g', 'tee notes/h <f', 'rm notes/f'])(
  '%s is covered: none of its files is of ape-shell',
  async (line) => {
    expect((await ask(line)).status).toBe(0);
  },
);

test.each([
  'rm apes/config.toml',
  'rm apes/run/gate.sock',
  'tee apes/config.toml <g',
  'tee way/rules.d/x.toml <g',
  'cat apes/state/server.log',
  'cat way/keys/host.key',
  'cat g >apes/config.toml',
  'rm -r apes',
])('%s waits for an approver', async (line) => {
  const asked = await ask(line);
  expect([asked.status, asked.err]).toEqual([75, expect.stringContaining('where ape-shell has its own')]);
});
