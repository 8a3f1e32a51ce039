/** What a client of a session does besides showing bytes: it follows the terminal's buffer, and closes its connection. */
import { describe, expect, it } from 'vitest';
import type { CliContext } from '../../src/cli/context.ts';
import { BufferWatch } from '../../src/cli/sessions/session-screen.ts';
import { printChanges } from '../../src/cli/sessions/watch.ts';
import { failure } from '../../src/core/failure.ts';
import { failed } from '../../src/core/result.ts';
import type { SessionClient } from '../../src/session/client/client.ts';

describe('the alternate buffer', () => {
  const isAlternateAfter = (...chunks: readonly string[]): boolean => {
    const watch = new BufferWatch();
    for (const chunk of chunks) watch.see(Buffer.from(chunk));
    return watch.isAlternate;
  };

  it.each(['\x1b[?1049h', '\x1b[?25;1049h', '\x1b[?1049;25h', '\x1b[?1;47;25h', '\x1b[?1047h'])(
    'is shown after %j, in whatever chunks it comes',
    (sequence) => {
      expect(isAlternateAfter(`a${sequence}b`)).toBe(true);
      for (let at = 1; at < sequence.length; at++)
        expect([at, isAlternateAfter(`a${sequence.slice(0, at)}`, `${sequence.slice(at)}b`)]).toEqual([at, true]);
      expect(isAlternateAfter(...sequence)).toBe(true);
      expect(isAlternateAfter(sequence, 'text', sequence.replace('h', 'l'))).toBe(false);
    },
  );

  it.each(['\x1b[?25h', '\x1b[?11049h', '\x1b[1049h', '\x1b[?1049', '\x1b[?1049;25$p'])(
    'is not shown after %j',
    (sequence) => expect(isAlternateAfter(sequence, 'text')).toBe(false),
  );
});

it('watch --json closes its connection if the session refuses', async () => {
  let closings = 0;
  const nothing = () => {};
  const refusal = failed(failure('usage', 'no'));
  const client = { onEvent: nothing, onClosed: nothing, ask: async () => refusal, close: () => closings++ };
  const context = { onFatalSignal: nothing } as unknown as CliContext;
  await printChanges(context, client as unknown as SessionClient);
  expect(closings).toBe(1);
});
