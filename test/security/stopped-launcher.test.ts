/** A launcher that was stopped while Node did the work must not say that nothing ran. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { GatedStage } from './gated-stage.ts';

const gated = new GatedStage();
beforeAll(() => gated.open());
afterAll(() => gated.close());

/** When the launcher is stopped, in seconds after its start. Node then has its call, or is about to read it. */
const STOPPED_AFTER = [0.008, 0.015, 0.022, 0.03, 0.05, 0.3];

test('an approval whose launcher was stopped for longer than Node may take to start is never said not to be made', async () => {
  const outcomes = STOPPED_AFTER.map(async (seconds) => {
    const id = /g_[a-z2-7]{26}/.exec((await gated.run(`ape-shell -c 'echo ${seconds}'`)).err)?.[0];
    // With so few descriptors, the launcher waits 30 s for Node.
    const approval = await gated.run(
      `ulimit -n 60; apes grants approve ${id} & sleep ${seconds}; kill -STOP $!; sleep 31; kill -CONT $!; wait $!`,
    );
    const state = await gated.run(`apes grants status ${id} --json`);
    return {
      approval,
      isApproved: state.out.includes('"state":"approved"') || state.out.includes('"state": "approved"'),
    };
  });
  const approved = (await Promise.all(outcomes)).filter(({ isApproved }) => isApproved);
  expect(approved.length).toBeGreaterThan(0);
  for (const { approval } of approved) expect(approval.err).not.toContain('nothing ran');
}, 120_000);
