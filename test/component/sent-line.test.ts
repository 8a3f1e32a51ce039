/** A line that is sent into a shell: it runs only if it can be recorded. */
import { expect, it } from 'vitest';
import { failure } from '../../src/core/failure.ts';
import { failed } from '../../src/core/result.ts';
import { SentLines } from '../../src/session/message/typed-line.ts';
import { openLineGate } from '../../src/shell/line-gate.ts';
import { withSentLines } from '../../src/shell/sent-lines.ts';
import { DIST } from '../fixtures/programs.ts';

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
