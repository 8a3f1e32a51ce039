/** A query of the program gets one answer: from the mirror, or from the terminal that was attached when the program asked. */
import { expect, it } from 'vitest';
import { HostedSession, type HostedTerminal, type SessionFacts } from '../../src/session/host/hosted-session.ts';
import type { Viewer } from '../../src/session/host/viewers.ts';

const QUERY = Buffer.from('\x1b[6n');
const attached: Viewer = { isAttached: true, take: () => {}, send: () => {}, finish: () => Promise.resolve() };

it('gets the answer of the mirror exactly if no terminal was attached when it came', async () => {
  const written: string[] = [];
  const terminal = { write: (bytes: Buffer) => written.push(bytes.toString()) } as unknown as HostedTerminal;
  const facts = { id: 's', name: null, kind: 'program', startedAtMs: 0 } as unknown as SessionFacts;
  const session = new HostedSession(facts, terminal, { columns: 80, rows: 24 }, true);
  const answersAfter = async (change: () => void) => {
    const before = written.length;
    change();
    await session.mirror.render();
    return written.length - before;
  };
  expect(await answersAfter(() => session.take(QUERY))).toBe(1);
  const attach = () => {
    session.take(QUERY);
    session.viewers.add(attached);
    session.take(QUERY);
  };
  expect(await answersAfter(attach)).toBe(1);
  expect(await answersAfter(() => session.take(QUERY))).toBe(0);
  const leave = () => {
    session.take(QUERY);
    session.viewers.remove(attached);
  };
  expect(await answersAfter(leave)).toBe(0);
  expect(await answersAfter(() => session.take(QUERY))).toBe(1);
});
