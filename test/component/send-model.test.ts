/**
 * Messages, nudges, dialogs, hooks in a wrong order, a person who types, cancellations and an end, in any order and at the same
 * time, with a real program in a real pseudo-terminal. SEND_MODEL_SECONDS=300 runs it for 300 s; default: 12 s.
 */
import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { HookFate } from '../fixtures/terminal/dialog-session.ts';
import { type CancelAt, SendWorld } from '../fixtures/terminal/send-world.ts';

type World = SendWorld;
type Model = Record<string, never>;

const SECONDS = Number(process.env['SEND_MODEL_SECONDS'] ?? '12');
const RUNS_AT_ONCE = 4;
const FIRST_SEED = fc.readConfigureGlobal().seed ?? 1;

/** The model is the real world: `may` looks at it, because what is possible depends on how the messages went. */
class Step implements fc.AsyncCommand<Model, World> {
  readonly #what: string;
  readonly #may: (world: World) => boolean;
  readonly #act: (world: World) => void | Promise<void>;

  constructor(what: string, may: (world: World) => boolean, act: (world: World) => void | Promise<void>) {
    this.#what = what;
    this.#may = may;
    this.#act = act;
  }

  check = (): boolean => true;

  async run(_: Model, world: World): Promise<void> {
    if (this.#may(world)) await this.#act(world);
  }

  toString = (): string => this.#what;
}

const alive = (world: World): boolean => !world.is('exit');
/** A person acts only without a dialog: their keys into a dialog would be their own decision, not a fault of the guard. */
const isQuiet = (world: World): boolean => alive(world) && !world.is('dialog') && !world.is('armed');

const cancelAt = fc.oneof(
  { weight: 6, arbitrary: fc.constant<CancelAt>('never') },
  { weight: 1, arbitrary: fc.constantFrom<CancelAt>('before', 'soon', 'at the paste', 'at Enter') },
);

const send = fc.tuple(cancelAt, fc.boolean()).map(
  ([cancel, isRetry]) =>
    new Step(
      `send, cancelled ${cancel}${isRetry ? ', the text that is in the editor' : ''}`,
      (world) => !world.isBusy,
      (world) => world.send(isRetry ? (world.unsubmitted?.text ?? null) : null, 'send', cancel),
    ),
);
const wakeUp = fc.constant(
  new Step(
    'nudge',
    (world) => !world.isBusy,
    (world) => world.send(null, 'nudge', 'never'),
  ),
);
/** Longer than the delay that the guard allows here for a dialog after its hook. */
const SLOW_DIALOG_MS = 400;
const openDialog = fc
  .constantFrom(null, 0, SLOW_DIALOG_MS)
  .map((ms) => new Step(`open a dialog, reported ${ms}`, isQuiet, (world) => world.openDialog(ms)));
const answerDialog = fc
  .oneof({ weight: 5, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) })
  .map(
    (isReported) =>
      new Step(
        `answer the dialog, ${isReported}`,
        (world) => alive(world) && world.is('dialog') && !world.is('armed'),
        (world) => world.answerDialog(isReported),
      ),
  );
const type = fc.constant(
  new Step(
    'type',
    (world) => isQuiet(world) && !world.is('left') && world.draft.length < 20,
    (world) => world.type('ha'),
  ),
);
const clear = fc.constant(
  new Step(
    'clear',
    (world) => isQuiet(world) && (world.draft !== '' || world.is('left')),
    (world) => world.clear(),
  ),
);
const enter = fc.constant(
  new Step(
    'press Enter',
    (world) => isQuiet(world) && world.draft !== '' && !world.is('left') && !world.hasRunning,
    (world) => world.enter(),
  ),
);
const fate = fc
  .tuple(
    fc.constantFrom<HookFate>('lost', 'doubled', 'late'),
    fc.constantFrom(
      'user-prompt-submit',
      'user-prompt-submit',
      'stop',
      'stop',
      'pre-tool-use',
      'permission-request',
      'post-tool-use',
    ),
  )
  .map(([how, event]) => new Step(`the next ${event} is ${how}`, alive, (world) => world.fateOfNext(event, how)));
const hook = fc
  .constantFrom(
    ['stop', '{}', null] as const,
    ['needs-input', '{}', 'asks'] as const,
    ['post-tool-use', '{"tool_name":"Shell","tool_use_id":"other"}', null] as const,
    ['pre-tool-use', '{"tool_name":"Read","tool_use_id":"read"}', 'stale'] as const,
    ['user-prompt-submit', '{"prompt":"of somebody else"}', null] as const,
  )
  .map(
    ([event, fields, fact]) => new Step(`hook ${event}`, alive, (world) => world.hook(event, JSON.parse(fields), fact)),
  );
const noise = fc.constant(new Step('noise', alive, (world) => world.noise('something > is said ──── esc')));
const arm = fc.constant(new Step('a dialog with the next prompt', isQuiet, (world) => world.arm()));
const wait = fc.integer({ min: 0, max: 120 }).map(
  (ms) =>
    new Step(
      `wait ${ms}`,
      () => true,
      () => pause(ms),
    ),
);
const settle = fc.constant(
  new Step(
    'settle',
    () => true,
    (world) => world.settle(),
  ),
);
const exit = fc.oneof(
  { weight: 6, arbitrary: wait },
  { weight: 1, arbitrary: fc.constant(new Step('exit', alive, (world) => world.exit())) },
);

const STEPS = [
  ...Array.from({ length: 9 }, () => send),
  ...[
    wakeUp,
    wakeUp,
    openDialog,
    openDialog,
    answerDialog,
    answerDialog,
    answerDialog,
    answerDialog,
    answerDialog,
    type,
    clear,
    clear,
    enter,
  ],
  ...[fate, hook, hook, noise, noise, arm, wait, wait, wait, settle, settle, settle, settle, exit],
];

const counts = { worlds: 0, sends: 0, dialogs: 0, inFlight: 0, results: new Map<string, number>() };

async function live(steps: Iterable<fc.AsyncCommand<Model, World>>): Promise<void> {
  const world = await SendWorld.open();
  try {
    await fc.asyncModelRun(() => ({ model: {}, real: world }), steps);
    await world.settle();
    world.finish();
    count(world);
    expect(world.faults).toEqual([]);
  } finally {
    await world.dialogs.stop();
  }
}

function count(world: World): void {
  const log = world.dialogs.log();
  counts.worlds += 1;
  counts.sends += world.sent.length;
  counts.dialogs += log.filter((line) => line.startsWith('OPEN')).length;
  counts.inFlight += log.filter((line) => line.startsWith('KEY-INTO')).length;
  for (const { report } of world.sent) {
    const result = report?.result ?? 'none';
    counts.results.set(result, (counts.results.get(result) ?? 0) + 1);
  }
}

describe('messages into a program to which anything may happen meanwhile', () => {
  it('end as the model allows; no byte is written while a dialog is open; each accepted message is entered once, without a draft', {
    timeout: SECONDS * 1_000 + 60_000,
  }, async () => {
    const over = Date.now() + SECONDS * 1_000;
    const property = fc.asyncProperty(fc.commands(STEPS, { maxCommands: 60, size: 'max' }), live);
    const one = async (at: number): Promise<void> => {
      for (let seed = FIRST_SEED * RUNS_AT_ONCE + at; Date.now() < over; seed += RUNS_AT_ONCE)
        await fc.assert(property, { numRuns: 1, endOnFailure: true, seed });
    };
    await Promise.all(Array.from({ length: RUNS_AT_ONCE }, (_, at) => one(at)));
    const results = [...counts.results].map(([result, times]) => `${result} ${times}`).join(', ');
    console.log(
      `${counts.worlds} programs, ${counts.sends} messages (${results}), ${counts.dialogs} dialogs, ${counts.inFlight} keys met a dialog that was not drawn yet`,
    );
    expect(counts.sends).toBeGreaterThan(SECONDS);
  });
});
