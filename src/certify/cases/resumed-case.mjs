/** An agent resumes a session from before the gate was installed. Nothing that it remembers may let a command run without the gate. */
import { existsSync } from 'node:fs';
import { say, shell, startMockModel } from '../mock-model.mjs';
import { runProgram } from '../processes.mjs';
import { must, mustSee } from '../what-is-seen.mjs';

const REMEMBERED = 'said-before-the-gate-4711';
const EARLIER_MS = 300_000;

const ofHarness = (harness) => ({
  title: 'resumed',
  turns: 2,
  before: (context, start) => holdEarlierSession(harness.withoutGate ?? harness, context, start),
  arrange: (context, prepared) => ({ ...prepared, argv: harness.resumed(prepared.argv, context) }),
  async next(stage, request, turn) {
    mustSee(request.text.includes(REMEMBERED), 'it did not go on with the session from before the gate');
    if (turn === 0) return shell(stage.command);
    stage.pendingIn(request);
    return say('done');
  },
  check: (stage) => must(!stage.didRun(), 'RESUMED, AND THE COMMAND RAN UNDECIDED'),
});

/** `resumed` of a harness file makes the arguments that resume the last session of the project; if it is a text, it says why that is not possible. */
export const RESUMED = {
  name: 'resumed',
  title: 'a session from before the gate was installed goes on: its command waits',
  turns: 2,
  whyNot: ({ resumed }) => (typeof resumed === 'string' ? resumed : null),
  variants: (harness) => [ofHarness(harness)],
};

/** Holds the session without the gate. Its command has to run at once, which proves that the gate was not there. */
async function holdEarlierSession(harness, context, start) {
  const ran = `${context.sideEffect}-earlier`;
  const model = await startMockModel(async (_request, turn) =>
    turn === 0 ? shell(`echo ${REMEMBERED} > '${ran}'`) : say(REMEMBERED),
  );
  try {
    const prepared = await harness.prepare({ ...context, url: model.url, installHooks: async () => undefined });
    const { file, argv, env } = start(prepared);
    // The PATH without what other cases put before it: their shims are the gate too.
    const plain = { ...env, SHELL: '/bin/bash', PATH: context.path };
    await runProgram(file, argv, { cwd: context.work, env: plain, timeoutMs: EARLIER_MS });
  } finally {
    await model.stop();
  }
  mustSee(existsSync(ran), 'no session from before the gate was seen');
}
