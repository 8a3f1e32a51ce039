/** If our process dies, the message says "nothing ran" only if nothing can have run. */
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { GatedStage } from './gated-stage.ts';

const gated = new GatedStage();
beforeAll(async () => {
  await gated.open();
  await gated.run(`mkdir here && echo 'PS1="U# "' > ../home/.bashrc`);
});
afterAll(() => gated.close());

/** Returns the process ids of our programs in Node that run in this directory. */
function gatesIn(directory: string): readonly number[] {
  return readdirSync('/proc').flatMap((name) => {
    try {
      const isOurs = /main\/apes?[a-z-]*\.cjs/.test(readFileSync(`/proc/${name}/cmdline`, 'latin1'));
      return isOurs && readlinkSync(`/proc/${name}/cwd`) === directory ? [Number(name)] : [];
    } catch {
      return []; // no process, or it has ended
    }
  });
}

test('the gate of a shell that has run lines', async () => {
  const keys = await gated.session('here');
  keys.type('apes workflow list\r');
  await keys.see(/workflow list\r\n[\s\S]*U# $/);
  const [gate, ...more] = gatesIn(join(gated.scratch, 'work/here'));
  expect([typeof gate, more]).toEqual(['number', []]);
  process.kill(gate ?? 0, 'SIGKILL');
  expect((await keys.ended())?.status).toBe(70);
  expect(keys.printed).toContain('ape-shell: the gate ended: no further line runs; lines before may have run');
  expect(keys.printed).not.toContain('nothing ran');
  keys.close();
});

test('a verb that may have done something', async () => {
  const hello =
    '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}';
  const client = gated.run(
    `cd here && mkfifo in && { apes mcp <in >out 2>err; echo $? >status; } & cd here; until [ -p in ]; do sleep 0.05; done; exec 4>in; echo '${hello}' >&4; wait; cat err status`,
  );
  const answer = join(gated.scratch, 'work/here/out');
  // At once, before the launcher has looked again whether Node has read the call.
  const hasAnswered = () => existsSync(answer) && readFileSync(answer, 'utf8') !== '';
  await expect.poll(hasAnswered, { timeout: 60_000, interval: 2 }).toBe(true);
  for (const gate of gatesIn(join(gated.scratch, 'work/here'))) process.kill(gate, 'SIGKILL');
  const ended = await client;
  expect(ended.out).toBe(
    'apes: the process ended before it answered; what the process had begun is possibly done\n70\n',
  );
});
