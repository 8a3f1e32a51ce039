/** Very many messages into a real program in a real pseudo-terminal, which opens dialogs at random moments. */
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import type { SendReport } from '../../src/core/message/send-outcome.ts';
import { DialogSession } from '../fixtures/terminal/dialog-session.ts';

const digest = (text: string): string => createHash('sha256').update(text).digest('hex');
const PROGRAMS = 4;
const SENDS = 1_000;
/** How long a refused message is sent again. */
const RETRY_MS = 60_000;

/** Returns a message of one or several lines, different each time. */
const messageOf = (program: number, at: number): string =>
  at % 3 === 0 ? `message ${program}/${at}\nwith y and p and 1\nin its lines` : `message ${program}/${at}, y`;

describe('1,000 sends into programs that open dialogs at random moments', () => {
  const sessions: DialogSession[] = [];
  afterAll(async () => {
    for (const session of sessions) await session.stop();
  });

  it('put no key into a dialog, and no message is lost, doubled or merged with another', {
    timeout: 300_000,
  }, async () => {
    const refusals: string[] = [];
    const reports: { text: string; report: SendReport }[] = [];
    const each = async (program: number): Promise<void> => {
      const session = await DialogSession.start({ seed: 7 + program * 13, everyMs: 150, openMs: 50, noPercent: 1 });
      sessions.push(session);
      for (let at = 0; at < SENDS / PROGRAMS; at += 1) {
        const text = messageOf(program, at);
        let report = await session.send(text);
        for (const began = Date.now(); report.result !== 'submitted' && Date.now() - began < RETRY_MS; ) {
          refusals.push(report.result);
          await sleep(20);
          report = await session.send(text);
        }
        reports.push({ text, report });
      }
    };
    await Promise.all(Array.from({ length: PROGRAMS }, (_, program) => each(program)));
    const notes = sessions.flatMap((session) => session.log());
    const count = (word: string): number => notes.filter((line) => line.startsWith(`${word} `)).length;
    const submitted = notes.filter((line) => line.startsWith('SUBMIT ')).map((line) => line.slice(7));
    expect(count('KEY-INTO-DIALOG')).toBe(0);
    expect(count('KEY')).toBe(0); // only pastes and Enters were ever written
    expect(reports.filter(({ report }) => report.result !== 'submitted')).toEqual([]);
    expect([...submitted].sort()).toEqual(reports.map(({ text }) => digest(text)).sort());
    expect(count('OPEN')).toBeGreaterThan(80);
    console.log(`refusals ${refusals.length}, dialogs ${count('OPEN')}, pastes into one ${count('PASTE-INTO-DIALOG')}`);
  });
});
