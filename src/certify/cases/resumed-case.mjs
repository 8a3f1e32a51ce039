/** An agent resumes a session that began before the gate was installed. In this session too, the gate must see every command. */
import { existsSync } from 'node:fs';
import { must, mustSee } from '../case-errors.mjs';
import { say, shell, startMockModel } from '../mock-model.mjs';
import { runProgram } from '../processes.mjs';

const REMEMBERED = 'said-before-the-gate-4711';
const EARLIER_MS = 300_000;

const ofHarness = (harness) => ({
  title: 'resumed',
  turns: 2,
  before: (context, start) => runEarlierSession(harness.withoutGate ?? harness, context, start),
  arrange: (context, prepared) => ({ ...prepared, argv: harness.resumed(prepared.argv, context) }),
  async next(stage, request, turn) {
    mustSee(
      request.text.includes(REMEMBERED),
      'the agent did not resume the session from before the gate was installed',
    );
    if (turn === 0) return shell(stage.command);
    stage.pendingIn(request);
    return say('done');
  },
  check: (stage) => must(!stage.didRun(), 'RESUMED, NOT DECIDED, AND THE COMMAND RAN'),
});

/**
 * The member `resumed` in a harness's `certify.mjs` is a function or a text. The function returns the arguments that resume the project's
 * last session. The text says why the harness cannot resume a session.
 */
export const RESUMED = {
  name: 'resumed',
  title: 'a session from before the gate was installed goes on: its command waits',
  turns: 2,
  whyNot: ({ resumed }) => (typeof resumed === 'string' ? resumed : null),
  variants: (harness) => [ofHarness(harness)],
};

/** Runs a session without the gate. The session's command must run at once: this proves that no gate was installed. */
async function runEarlierSession(harness, context, start) {
  const ran = `${context.sideEffect}-earlier`;
  const model = await startMockModel(async (_request, turn) =>
    turn === 0 ? shell(`echo ${REMEMBERED} > '${ran}'`) : say(REMEMBERED),
  );
  try {
    const prepared = await harness.prepare({ ...context, url: model.url, installHooks: async () => undefined });
    const { file, argv, env } = start(prepared);
    // `certify.mjs` puts directories with shims first in PATH. The shims lead to the gate. So this PATH leaves these directories out.
    const plain = { ...env, SHELL: '/bin/bash', PATH: context.path };
    await runProgram(file, argv, { cwd: context.work, env: plain, timeoutMs: EARLIER_MS });
  } finally {
    await model.stop();
  }
  mustSee(existsSync(ran), 'the command of the session before the gate did not run');
}
