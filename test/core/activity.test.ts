/** The activity reducer: a table of the effect of each signal in each state, and properties over random histories. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { harnessNamed } from '../../src/core/harness/harnesses.ts';
import { acceptName, signalBy } from '../../src/core/harness/hook-events.ts';
import {
  type Activity,
  type ActivityEvent,
  type ActivityInput,
  MAX_INFLIGHT,
  nextActivity,
  SETTLED_MS,
  SETTLED_UNSEEN_MS,
  shownState,
  UNKNOWN_ACTIVITY,
} from '../../src/core/message/activity.ts';
import type { ActivityState } from '../../src/core/message/session-view.ts';
import { utf8Length } from '../../src/core/text/utf8-length.ts';

interface SignalFields {
  readonly state?: ActivityState | null;
  readonly tool?: string;
  readonly id?: string;
  readonly agent?: string;
}

const STATE_OF: Partial<Record<ActivityEvent, ActivityState>> = {
  'session-start': 'idle',
  'user-prompt-submit': 'active',
  'turn-continued': 'active',
  'pre-tool-use': 'active',
  'post-tool-use': 'active',
  'post-tool-use-failure': 'active',
  'permission-request': 'blocked',
  'permission-request-first': 'blocked',
  'permission-answered': 'active',
  stop: 'idle',
  interrupt: 'idle',
  'session-end': 'exited',
};

const signal = (
  event: ActivityEvent | null,
  { state, tool, id, agent }: SignalFields = {},
  atMs = 0,
): ActivityInput => ({
  kind: 'signal',
  atMs,
  signal: {
    event,
    state: state === undefined ? (event === null ? null : (STATE_OF[event] ?? null)) : state,
    toolName: tool ?? null,
    toolUseId: id ?? null,
    promptText: null,
    agentId: agent ?? null,
  },
});
const screen = (kind: 'dialog' | 'composer' | 'working' | 'unknown', atMs: number): ActivityInput => ({
  kind: 'screen',
  atMs,
  reading:
    kind === 'dialog'
      ? { kind, rule: 'x' }
      : kind === 'unknown'
        ? { kind }
        : { kind: 'composer', draft: '', folded: null, isBusy: kind === 'working' },
});
const activityOf = (...inputs: readonly ActivityInput[]): Activity => inputs.reduce(nextActivity, UNKNOWN_ACTIVITY);

const START = signal('session-start');
const PRE_A = signal('pre-tool-use', { tool: 'Bash', id: 'a' });
const PRE_B = signal('pre-tool-use', { tool: 'Bash', id: 'b' });
const PRE_R = signal('pre-tool-use', { tool: 'Read', id: 'r' });
const POST_A = signal('post-tool-use', { tool: 'Bash', id: 'a' });
const POST_B = signal('post-tool-use', { tool: 'Bash', id: 'b' });
const POST_R = signal('post-tool-use', { tool: 'Read', id: 'r' });
const ASK = signal('permission-request', { tool: 'Bash' });
const NOTICE = signal('notification', { state: 'blocked' });
const NEEDS_INPUT = signal('notification', { state: 'waiting_input' });
const IDLE_NOTICE = signal('notification', { state: 'idle' });

const TABLE: readonly (readonly [string, readonly ActivityInput[], ActivityState | null])[] = [
  ['the state is unknown at first', [], null],
  ['a start makes it idle', [START], 'idle'],
  ['a prompt makes it active', [START, signal('user-prompt-submit')], 'active'],
  ['a stop makes it idle', [START, signal('user-prompt-submit'), signal('stop')], 'idle'],
  ['a question makes it blocked', [START, PRE_A, ASK], 'blocked'],
  ['the end of the only tool with the name in the question answers the question', [PRE_A, ASK, POST_A], 'active'],
  [
    'the failure of the only tool with the name in the question answers the question',
    [PRE_A, ASK, signal('post-tool-use-failure', { id: 'a' })],
    'active',
  ],
  ['the end of a tool with another name does not answer the question', [PRE_A, PRE_R, ASK, POST_R], 'blocked'],
  ['the end of a tool that never began does not answer the question', [PRE_A, ASK, POST_B], 'blocked'],
  [
    'with two tools of the name in the question, no end of a tool answers the question',
    [PRE_A, PRE_B, ASK, POST_A, POST_B],
    'blocked',
  ],
  [
    'without a tool of the name in the question, only a prompt or an end of the turn ends blocked',
    [ASK, PRE_A, POST_A],
    'blocked',
  ],
  ['the end of a tool does not answer a question without a name', [PRE_A, NOTICE, POST_A], 'blocked'],
  ['a notice after the question does not change which tool answers it', [PRE_A, ASK, NOTICE, POST_A], 'active'],
  ['a notice of idleness does not end blocked', [PRE_A, ASK, IDLE_NOTICE], 'blocked'],
  ['a notice that input is needed does not end blocked', [PRE_A, ASK, NEEDS_INPUT], 'blocked'],
  ['a signal without an event does not end blocked', [PRE_A, ASK, signal(null, { state: 'active' })], 'blocked'],
  ['a new start does not end blocked', [PRE_A, ASK, START], 'blocked'],
  ['a prompt ends blocked', [PRE_A, PRE_B, ASK, signal('user-prompt-submit')], 'active'],
  ['a stop ends blocked', [PRE_A, PRE_B, ASK, signal('stop')], 'idle'],
  ['an interrupt ends blocked', [PRE_A, PRE_B, ASK, signal('interrupt')], 'idle'],
  ['the end of the session ends blocked', [PRE_A, PRE_B, ASK, signal('session-end')], 'exited'],
  ['a prompt by the agent itself does not end blocked', [PRE_A, PRE_B, ASK, signal('turn-continued')], 'blocked'],
  ['an earlier answered question does not affect the next one', [PRE_A, ASK, POST_A, PRE_B, ASK, POST_B], 'active'],
  [
    'two questions need two answers',
    [PRE_A, ASK, PRE_R, signal('permission-request', { tool: 'Read' }), POST_A],
    'blocked',
  ],
  [
    'two questions are answered by two answers',
    [PRE_A, ASK, PRE_R, signal('permission-request', { tool: 'Read' }), POST_R, POST_A],
    'active',
  ],
  ['after two questions about one tool, its end answers neither', [PRE_A, ASK, ASK, POST_A], 'blocked'],
  [
    'a question with an id is answered by an answer with that id',
    [signal('permission-request', { tool: 'bash', id: 'per_1' }), signal('permission-answered', { id: 'per_1' })],
    'active',
  ],
  [
    'a question with an id is not answered by an answer with another id',
    [signal('permission-request', { tool: 'bash', id: 'per_1' }), signal('permission-answered', { id: 'per_2' })],
    'blocked',
  ],
  [
    'a question before its tool begins is answered by the end of the tool',
    [signal('permission-request-first', { tool: 'Bash' }), PRE_A, POST_A],
    'active',
  ],
  [
    'a question before its tool begins is not answered by the beginning of the tool',
    [signal('permission-request-first', { tool: 'Bash' }), PRE_A],
    'blocked',
  ],
  [
    'a question before its tool begins stays open if another tool of the same name runs',
    [PRE_A, signal('permission-request-first', { tool: 'Bash' }), PRE_B, POST_B, POST_A],
    'blocked',
  ],
  [
    'waiting for input is not ended by the end of an earlier tool or the start of a tool',
    [PRE_A, NEEDS_INPUT, POST_A, PRE_R],
    'waiting_input',
  ],
  ['waiting for input ends if a tool begins and ends after it', [NEEDS_INPUT, PRE_A, POST_A], 'active'],
  ['waiting for input ends with a stop', [NEEDS_INPUT, signal('stop')], 'idle'],
  ['waiting for input becomes blocked with a question', [NEEDS_INPUT, ASK], 'blocked'],
  ['after the end, a tool does not restart the session', [signal('session-end'), PRE_A], 'exited'],
  ['after the end, a notice does not restart the session', [signal('session-end'), IDLE_NOTICE], 'exited'],
  ['after the end, a prompt restarts the session', [signal('session-end'), signal('user-prompt-submit')], 'active'],
  ['a cleared conversation continues the session', [START, signal('session-end', { state: null })], 'idle'],
  ['a program that has ended stays ended', [START, { kind: 'ended' }, signal('user-prompt-submit')], 'exited'],
  ['the state of a new program is unknown', [PRE_A, ASK, { kind: 'launched' }], null],
  [
    'signals of a subagent are ignored',
    [signal('session-start', { agent: 'x' }), PRE_A, ASK, signal('stop', { agent: 'y' })],
    'blocked',
  ],
];

describe('the activity of a session', () => {
  it.each(TABLE)('follows its events: %s', (_title, inputs, state) => {
    expect(activityOf(...inputs).state).toBe(state);
  });

  it('forgets all tools and dialogs at every kind of end', () => {
    for (const end of [signal('stop'), signal('interrupt'), signal('session-end'), { kind: 'ended' } as const]) {
      const ended = activityOf(PRE_A, PRE_B, ASK, end);
      expect([ended.inflight.size, ended.awaited.size, ended.isAmbiguous]).toEqual([0, 0, false]);
    }
  });

  it('forgets its tools if there are too many, and then does not take the end of a tool for the answer to a dialog', () => {
    const many = Array.from({ length: MAX_INFLIGHT }, (_, at) =>
      signal('pre-tool-use', { tool: `T${at}`, id: `t${at}` }),
    );
    expect(activityOf(...many).inflight.size).toBe(MAX_INFLIGHT);
    const over = activityOf(...many, PRE_A);
    expect(over.inflight.size).toBe(1);
    expect(nextActivity(nextActivity(over, ASK), POST_A).state).toBe('blocked');
  });

  it('leaves a stale `blocked` when the dialog is gone and an editor stays', () => {
    const seen = activityOf(PRE_A, ASK, screen('dialog', 100));
    const looks = [200, 900, 1_600].map((atMs) => screen('composer', atMs));
    expect(looks.reduce(nextActivity, seen).state).toBe('blocked');
    expect([...looks, screen('composer', 200 + SETTLED_MS)].reduce(nextActivity, seen).state).toBe('idle');
  });

  it('stays `blocked` while a turn runs, after a gap between the looks, or before the dialog was drawn', () => {
    const seen = activityOf(PRE_A, ASK, screen('dialog', 100));
    const every = (kind: 'composer' | 'working', untilMs: number, stepMs: number) =>
      Array.from({ length: Math.floor(untilMs / stepMs) }, (_, at) => screen(kind, 200 + at * stepMs));
    expect(every('working', 20_000, 500).reduce(nextActivity, seen).state).toBe('blocked');
    expect(every('composer', 20_000, 1_500).reduce(nextActivity, seen).state).toBe('blocked');
    const unseen = activityOf(PRE_A, ASK);
    expect(every('composer', SETTLED_UNSEEN_MS, 500).reduce(nextActivity, unseen).state).toBe('blocked');
    expect(every('composer', SETTLED_UNSEEN_MS + 1_000, 500).reduce(nextActivity, unseen).state).toBe('idle');
  });

  it('is shown as `blocked` for a dialog that no hook reported, but is not changed by it', () => {
    const seen = activityOf(START, screen('dialog', 1));
    expect([seen.state, shownState(seen)]).toEqual(['idle', 'blocked']);
    expect(shownState(activityOf(START, screen('composer', 1)))).toBe('idle');
  });
});

describe('names in signals', () => {
  it('are dropped if they are too long, are never cut, and lose control characters', () => {
    expect(acceptName('x'.repeat(256))).toBe('x'.repeat(256));
    expect(acceptName('x'.repeat(257))).toBeNull();
    expect(acceptName('é'.repeat(129))).toBeNull();
    expect(acceptName('a\u0000\u001b[1mb\u009f')).toBe('a[1mb');
    expect(utf8Length('aé€😀')).toBe(Buffer.byteLength('aé€😀'));
  });

  it('are read from the members in which each harness puts them', () => {
    const claude = harnessNamed('claude-code');
    const read =
      claude && signalBy(claude.hooks, 'PreToolUse', { tool_name: 'Bash', tool_use_id: 't1', session_id: 's' });
    expect(read).toMatchObject({
      event: 'pre-tool-use',
      state: 'active',
      toolName: 'Bash',
      toolUseId: 't1',
      agentId: 's',
    });
    expect(claude && signalBy(claude.hooks, 'PreToolUse', { agent_id: 'sub', tool_name: 'Bash' })).toMatchObject({
      state: null,
      event: null,
    });
    expect(claude && signalBy(claude.hooks, 'toString', {})).toBeNull();
    const qwen = harnessNamed('qwen');
    expect(qwen && signalBy(qwen.hooks, 'UserPromptSubmit', { prompt: '' })?.event).toBe('turn-continued');
  });
});

/** A model of an agent. It opens at most one dialog at a time. Each of its hooks reports, but a person's "No" causes no report. */
const STEPS = [
  'tool',
  'end',
  'ask',
  'yes',
  'no',
  'stop',
  'needs-input',
  'idle-notice',
  'subagent',
  'untagged',
  'crash',
  'look',
] as const;

interface Model {
  readonly open: string | null;
  readonly running: readonly string[];
  readonly isOver: boolean;
}

/** Makes one step of the agent, and returns the new model with the reports of its hooks. */
function step(model: Model, what: (typeof STEPS)[number], at: number, pick: number): readonly [Model, ActivityInput[]] {
  const atMs = at * 400;
  const { open, running } = model;
  const some = running[pick % Math.max(1, running.length)];
  if (model.isOver) return [model, []];
  switch (what) {
    case 'tool':
      return [
        { ...model, running: [...running, `id${at}`] },
        [signal('pre-tool-use', { tool: pick % 2 ? 'Bash' : 'Read', id: `id${at}` }, atMs)],
      ];
    case 'end':
      if (some === undefined || some === open) return [model, []];
      return [
        { ...model, running: running.filter((id) => id !== some) },
        [signal('post-tool-use', { id: some }, atMs)],
      ];
    case 'ask': {
      if (open !== null) return [model, []];
      const id = `id${at}`;
      const tool = pick % 2 ? 'Bash' : 'Read';
      return [
        { ...model, open: id, running: [...running, id] },
        [signal('pre-tool-use', { tool, id }, atMs), signal('permission-request', { tool }, atMs)],
      ];
    }
    case 'yes':
      return open === null
        ? [model, []]
        : [
            { ...model, open: null, running: running.filter((id) => id !== open) },
            [signal('post-tool-use', { id: open }, atMs)],
          ];
    case 'no':
      return open === null ? [model, []] : [{ ...model, open: null, running: running.filter((id) => id !== open) }, []];
    case 'stop':
      return open === null ? [{ ...model, running: [] }, [signal('stop', {}, atMs)]] : [model, []];
    case 'needs-input':
      return [model, [signal('notification', { state: 'waiting_input' }, atMs)]];
    case 'idle-notice':
      return [model, [signal('notification', { state: 'idle' }, atMs)]];
    case 'subagent':
      return [model, [signal('post-tool-use', { id: `other${at}` }, atMs)]];
    case 'untagged':
      return [model, [signal(null, { state: 'active' }, atMs)]];
    case 'crash':
      return [{ open: null, running: [], isOver: true }, [{ kind: 'ended' }]];
    case 'look':
      return [model, [screen(open === null ? 'composer' : 'dialog', atMs)]];
  }
}

describe('for any events in any order', () => {
  const history = fc.array(
    fc.tuple(
      fc.oneof(
        { weight: 6, arbitrary: fc.constantFrom('ask', 'yes', 'no', 'tool', 'end', 'look') },
        { weight: 3, arbitrary: fc.constantFrom(...STEPS.filter((one) => one !== 'crash')) },
        { weight: 1, arbitrary: fc.constant('crash') },
      ),
      fc.nat(20),
    ),
    { maxLength: 60 },
  );

  it('an agent with an open dialog is always `blocked`', () => {
    fc.assert(
      fc.property(history, (steps) => {
        let model: Model = { open: null, running: [], isOver: false };
        let activity = nextActivity(UNKNOWN_ACTIVITY, START);
        steps.forEach(([what, pick], at) => {
          const [next, inputs] = step(model, what as (typeof STEPS)[number], at + 1, pick);
          model = next;
          activity = inputs.reduce(nextActivity, activity);
          if (model.open !== null) expect(activity.state).toBe('blocked');
          if (model.isOver) expect([activity.state, activity.inflight.size]).toEqual(['exited', 0]);
          expect(activity.inflight.size).toBeLessThanOrEqual(MAX_INFLIGHT);
        });
      }),
      { numRuns: 3_000 },
    );
  });
});
