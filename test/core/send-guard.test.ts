/** The guard before each write into a session: each of its verdicts, and that only a case without any fault lets the write happen. */
import { describe, expect, it } from 'vitest';
import { type Activity, UNKNOWN_ACTIVITY } from '../../src/core/message/activity.ts';
import type { Composer } from '../../src/core/message/screen-reading.ts';
import { type GuardFacts, KEY_DELAY_MS, verdictOnWrite } from '../../src/core/message/send-guard.ts';

const NOW = 100_000;
const activity = (change: Partial<Activity> = {}): Activity => ({
  ...UNKNOWN_ACTIVITY,
  state: 'idle',
  hasSignalled: true,
  ...change,
});
const composer = (change: Partial<Composer> = {}): Composer => ({
  kind: 'composer',
  draft: '',
  folded: null,
  isBusy: false,
  ...change,
});
const facts = (change: Partial<GuardFacts> = {}): GuardFacts => ({
  mode: 'send',
  step: 'paste',
  isEnded: false,
  activity: activity(),
  announcesItself: true,
  dialogDelayMs: 1_000,
  reading: composer(),
  isPasteBracketed: true,
  lastKeyAtMs: 0,
  isOurDraft: ({ draft }) => draft === 'ours',
  nowMs: NOW,
  ...change,
});
const enter = (draft: string, change: Partial<GuardFacts> = {}): GuardFacts =>
  facts({ step: 'enter', reading: composer({ draft }), ...change });

const api = (change: Partial<GuardFacts> = {}): GuardFacts => facts({ step: 'api', ...change });

/** A title, the facts, and the verdict: `go`, or the result, with `pass` if it may pass with time. */
const TABLE: readonly (readonly [string, GuardFacts, string])[] = [
  ['an empty editor of an idle agent', facts(), 'go'],
  ['an empty editor of an agent at work', facts({ activity: activity({ state: 'active' }) }), 'go'],
  ['an agent that waits for its next instruction', facts({ activity: activity({ state: 'waiting_input' }) }), 'go'],
  ['our own text, for Enter', enter('ours'), 'go'],
  ['a nudge to an idle agent', facts({ mode: 'nudge' }), 'go'],
  ['an ended program', facts({ isEnded: true }), 'terminated'],
  ['an agent that has left', facts({ activity: activity({ state: 'exited' }) }), 'terminated'],
  ['no hook since the launch', facts({ activity: activity({ hasSignalled: false }) }), 'unknown'],
  [
    'no hook since the launch of an agent that reports with its first prompt',
    facts({ announcesItself: false, activity: activity({ hasSignalled: false, state: null }) }),
    'go',
  ],
  [
    'an open decision, its dialog on the screen',
    facts({ activity: activity({ state: 'blocked' }), reading: { kind: 'dialog', rule: 'x' } }),
    'awaiting-decision',
  ],
  [
    'an open decision that may be stale',
    facts({ activity: activity({ state: 'blocked' }) }),
    'awaiting-decision, pass',
  ],
  [
    'a decision that opened before Enter',
    enter('ours', { activity: activity({ state: 'blocked' }) }),
    'awaiting-decision, pass',
  ],
  ['a dialog that no hook reported', facts({ reading: { kind: 'dialog', rule: 'x' } }), 'awaiting-decision'],
  ['a dialog before Enter', facts({ step: 'enter', reading: { kind: 'dialog', rule: 'x' } }), 'awaiting-decision'],
  [
    'a nudge to an agent that waits for its human',
    facts({ mode: 'nudge', activity: activity({ state: 'waiting_input' }) }),
    'awaiting-decision',
  ],
  [
    'a nudge where a dialog was on the last screen',
    facts({ mode: 'nudge', activity: activity({ screen: 'dialog' }) }),
    'awaiting-decision',
  ],
  ['no editor, at work', facts({ reading: { kind: 'busy' } }), 'busy, pass'],
  ['an unknown screen', facts({ reading: { kind: 'unknown' } }), 'unknown, pass'],
  ['a program that takes a paste for keys', facts({ isPasteBracketed: false }), 'unknown, pass'],
  ["a person's draft", facts({ reading: composer({ draft: 'half' }) }), 'draft-present'],
  ['our own text, for a second paste', facts({ reading: composer({ draft: 'ours' }) }), 'draft-present'],
  ['an empty editor, for Enter', enter(''), 'not-taken, pass'],
  ['another text, for Enter', enter('ours and more'), 'draft-present, pass'],
  ['a key of a moment ago', facts({ lastKeyAtMs: NOW - KEY_DELAY_MS + 1 }), 'busy, pass'],
  ['a key of long enough ago', facts({ lastKeyAtMs: NOW - KEY_DELAY_MS }), 'go'],
  ['a tool that has just begun', facts({ activity: activity({ lastToolAtMs: NOW - 999 }) }), 'busy, pass'],
  ['a tool that began long enough ago', facts({ activity: activity({ lastToolAtMs: NOW - 1_000 }) }), 'go'],
  ['an empty editor, over an API', api(), 'go'],
  ["a person's draft, over an API", api({ reading: composer({ draft: 'half' }) }), 'go'],
  ['a key of a moment ago, over an API', api({ lastKeyAtMs: NOW }), 'go'],
  ['a program that takes a paste for keys, over an API', api({ isPasteBracketed: false }), 'go'],
  ['an ended program, over an API', api({ isEnded: true }), 'terminated'],
  ['no hook since the launch, over an API', api({ activity: activity({ hasSignalled: false }) }), 'unknown'],
  ['an open decision, over an API', api({ activity: activity({ state: 'blocked' }) }), 'awaiting-decision, pass'],
  ['a dialog that no hook reported, over an API', api({ reading: { kind: 'dialog', rule: 'x' } }), 'awaiting-decision'],
  ['an unknown screen, over an API', api({ reading: { kind: 'unknown' } }), 'unknown, pass'],
  ['no editor, at work, over an API', api({ reading: { kind: 'busy' } }), 'busy, pass'],
  ['a tool that has just begun, over an API', api({ activity: activity({ lastToolAtMs: NOW }) }), 'busy, pass'],
  [
    'a nudge over an API to an agent that waits for its human',
    api({ mode: 'nudge', activity: activity({ state: 'waiting_input' }) }),
    'awaiting-decision',
  ],
];

describe('the guard before a write', () => {
  it.each(TABLE)('gives its verdict on %s', (_what, given, wanted) => {
    const verdict = verdictOnWrite(given);
    const shown = verdict.kind === 'go' ? 'go' : `${verdict.result}${verdict.mayPass ? ', pass' : ''}`;
    expect(shown).toBe(wanted);
  });

  it('refuses if one condition fails, whatever the others are: two faults together never pass', () => {
    const faults = TABLE.filter(([, , wanted]) => wanted !== 'go').map(([, given]) => given);
    const plain = facts();
    const differs = (given: GuardFacts): Partial<GuardFacts> =>
      Object.fromEntries(Object.entries(given).filter(([key, value]) => value !== plain[key as keyof GuardFacts]));
    for (const one of faults)
      for (const other of faults)
        if (one.step === other.step && one.mode === other.mode)
          expect(verdictOnWrite({ ...facts(), ...differs(one), ...differs(other) }).kind).toBe('refuse');
  });
});
