/** A line that is sent into a shell: it runs only if it can be recorded. */
import { describe, expect, it } from 'vitest';
import { failure } from '../../src/core/failure.ts';
import { failed } from '../../src/core/result.ts';
import { SentLines } from '../../src/session/message/typed-line.ts';
import { openLineGate } from '../../src/shell/line-gate.ts';
import { withSentLines } from '../../src/shell/sent-lines.ts';
import { DIST } from '../fixtures/programs.ts';

describe('a message that was left in the line, because the shell did not hand it to its gate in time', () => {
  const lines = () => {
    const sent = new SentLines(async () => true);
    sent.expect('make clean').leave();
    return sent;
  };

  it('is recorded if it comes late', () => {
    const sent = lines();
    expect([sent.match('make clean'), sent.match('make clean')]).toEqual(['as-sent', null]);
  });

  it('is refused if it was joined to half-typed text', () => {
    expect(lines().match('rm -rf build; make clean')).toBe('merged');
  });

  it('does not stop the line of a person who removed it', () => {
    const sent = lines();
    expect([sent.match('ls'), sent.match('make clean')]).toEqual([null, null]);
  });

  it('is nothing if the line came in time', () => {
    const sent = new SentLines(async () => true);
    const { leave } = sent.expect('make clean');
    expect(sent.match('make clean')).toBe('as-sent');
    leave();
    expect(sent.match('make clean')).toBeNull();
  });
});

it('does not run unrecorded, also if it needs no grant; a typed one still leaves the shell', async () => {
  const lines = new SentLines(async () => true);
  const gate = openLineGate({
    sessionId: 's_1',
    dist: DIST,
    openGate: async () => failed(failure('configuration', 'not enrolled')),
    statusText: async () => '',
    onWaiting: () => {},
    control: [],
  });
  const whole = withSentLines(gate, { sessionId: 's_1', lines, journal: async () => null });
  const leave = { text: 'exit', cwd: '/', environment: [] };
  const decide = () => whole.decide(leave, () => {}, new AbortController().signal);
  lines.expect('exit');
  expect(await decide()).toMatchObject({ kind: 'refused', status: 74 });
  expect(await decide()).toMatchObject({ kind: 'run', text: 'exit' });
});
