/** A proxy that gets the signal to stop before its server has started stops the server at once. */
import { expect, it } from 'vitest';
import { startNamed, untilOneEnds } from '../../src/mcp/proxy/start-named.ts';
import { DIST } from '../fixtures/programs.ts';

it('stops a server that was started after the signal to stop', async () => {
  const environment = new Map([['PATH', Buffer.from('/usr/bin:/bin')]]);
  const started = startNamed({ argv: ['sleep', '60'], name: null, what: 'server', environment, dist: DIST });
  if (!started.ok) throw new Error(started.failure.message);
  const { child } = started.value;
  const relay = {
    fromClient: () => new Promise<void>(() => {}),
    fromServer: () => new Promise<string>(() => {}),
    end: async () => {},
    leave: () => {},
  };
  expect(await untilOneEnds(relay, child, AbortSignal.abort())).toBeNull();
  expect(await child.ended).not.toBe('');
}, 30_000);
