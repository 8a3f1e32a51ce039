/** A session that began before the gate was installed, and goes on with it: what the agent remembers must lead no command past it. */
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
    stage.toldPending(request);
    return say('done');
  },
  check: (stage) => must(!stage.didRun(), 'RESUMED, AND THE COMMAND RAN UNDECIDED'),
});

/** `resumed` of a harness file makes the words that go on with the last session of the project; a text says why there are none. */
export const RESUMED = {
  name: 'resumed',
  title: 'a session from before the gate was installed goes on: its command waits',
  turns: 2,
  whyNot: ({ resumed }) => (typeof resumed === 'string' ? resumed : null),
  variants: (harness) => [ofHarness(harness)],
};

/** Without the gate a command runs at once, which has to be seen: else the session was none from before it. */
async function holdEarlierSession(harness, context, start) {
  const ran = `${context.sideEffect}-earlier`;
  const model = await startMockModel(async (_request, turn) =>
    turn === 0 ? shell(`echo ${REMEMBERED} > '${ran}'`) : say(REMEMBERED),
  );
  try {
    const prepared = await harness.prepare({ ...context, url: model.url, installHooks: async () => undefined });
    const { file, argv, env } = start(prepared);
    // What another case's installation put before the programs of the machine is the gate too.
    const plain = { ...env, SHELL: '/bin/bash', PATH: context.path };
    await runProgram(file, argv, { cwd: context.work, env: plain, timeoutMs: EARLIER_MS });
  } finally {
    await model.stop();
  }
  mustSee(existsSync(ran), 'no session from before the gate was seen');
}
