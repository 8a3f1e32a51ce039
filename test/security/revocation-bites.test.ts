/** Never 8 of SECURITY.md: revocation and expiry take effect at once, everywhere. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { GatedStage } from './gated-stage.ts';

const gated = new GatedStage();
beforeAll(() => gated.open());
afterAll(() => gated.close());

test('the next call after a revocation is refused a run, within a second', async () => {
  const id = await gated.approved("ape-shell -c 'echo standing'", 'always');
  expect((await gated.run("ape-shell -c 'echo standing'")).status).toBe(0);
  await gated.run(`apes grants revoke ${id}`);
  const run = await gated.run("ape-shell -c 'echo standing'");
  expect([run.status, run.out]).toEqual([75, '']);
  expect((await gated.run(`apes grants run ${id}`)).status).toBe(77);
});

test('a timed grant ends at its time, in calls and in listings', async () => {
  const asked = await gated.run("ape-shell -c 'echo timed'");
  const id = /g_[a-z2-7]{26}/.exec(asked.err)?.[0] ?? '';
  await gated.run(`apes grants approve ${id} --term timed --for 10s`);
  expect((await gated.run("ape-shell -c 'echo timed'")).status).toBe(0);
  const state = async () => (await gated.run(`apes grants status ${id}`)).out;
  await expect.poll(state, { timeout: 90_000, interval: 500 }).toBe('expired\n');
  expect((await gated.run("ape-shell -c 'echo timed'")).status).toBe(75);
});

test('a once grant runs once, also when twenty calls race for it', async () => {
  await gated.approved("ape-shell -c 'echo x >> once'");
  const run = await gated.run(
    "for i in $(seq 20); do ape-shell -c 'echo x >> once' 2>/dev/null & done; wait; wc -l < once",
  );
  expect(run.out.trim()).toBe('1');
});
