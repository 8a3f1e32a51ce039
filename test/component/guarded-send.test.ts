/** One message into a real program in a real pseudo-terminal: what is written, when, and how often. */
import { afterEach, describe, expect, it } from 'vitest';
import { generic } from '../../src/core/harness/generic.ts';
import { DialogSession } from '../fixtures/terminal/dialog-session.ts';

const HARNESS = { ...generic, dialogDelayMs: 60 };
const paste = (text: string): string => `\u001b[200~${text}\u001b[201~`;

let session: DialogSession;
afterEach(() => session.stop());
const noted = (word: string): number => session.log().filter((line) => line.split(' ')[0] === word).length;

describe('a message that is cancelled', () => {
  it('before its paste is not written at all', async () => {
    session = await DialogSession.start();
    const cancelled = AbortSignal.abort();
    expect(await session.send('hello', 'send', HARNESS, cancelled)).toMatchObject({
      result: 'not-taken',
      enters: 0,
      isDraftLeft: false,
    });
    expect(session.written).toEqual([]);
  });

  it('while another one is on its way is not written either', async () => {
    session = await DialogSession.start();
    const cancel = new AbortController();
    session.onWrite = () => cancel.abort();
    const [first, second] = await Promise.all([
      session.send('first'),
      session.send('second', 'send', HARNESS, cancel.signal),
    ]);
    expect([first.result, second.result]).toEqual(['submitted', 'not-taken']);
    expect(session.written).toEqual([paste('first'), '\r']);
  });

  it('after its paste is completed: half a message would be sent twice by whoever tries again', async () => {
    session = await DialogSession.start();
    const cancel = new AbortController();
    session.onWrite = (keys) => keys.startsWith('\u001b[200~') && cancel.abort();
    expect((await session.send('hello', 'send', HARNESS, cancel.signal)).result).toBe('submitted');
    expect(cancel.signal.aborted).toBe(true);
    expect(session.written).toEqual([paste('hello'), '\r']);
    expect(noted('SUBMIT')).toBe(1);
  });
});

describe('an Enter that the program does not take', () => {
  it('is written again, and the text is not', async () => {
    session = await DialogSession.start({ ignoredEnters: 2 });
    expect(await session.send('hello')).toMatchObject({ result: 'submitted', enters: 3 });
    expect(session.written).toEqual([paste('hello'), '\r', '\r', '\r']);
  });

  it('is written three times at most; the same message sent again needs no second paste', async () => {
    session = await DialogSession.start({ ignoredEnters: 3 });
    expect(await session.send('hello')).toMatchObject({ result: 'not-taken', enters: 3, isDraftLeft: true });
    expect(await session.send('hello')).toMatchObject({ result: 'submitted', enters: 1 });
    expect(session.written).toEqual([paste('hello'), '\r', '\r', '\r', '\r']);
    expect(noted('SUBMIT')).toBe(1);
  });

  it('is not written again into a dialog that opened over the text: whether it was taken cannot be seen', async () => {
    session = await DialogSession.start({ ignoredEnters: 1, hasDialogAfterIgnored: true });
    expect(await session.send('hello')).toMatchObject({ result: 'delivered', enters: 1, isDraftLeft: true });
    expect(session.written).toEqual([paste('hello'), '\r']);
    expect(noted('KEY-INTO-DIALOG')).toBe(0);
  });
});

describe('the answer to a hook', () => {
  it('waits until the Enter was taken, so that the dialog it is about cannot take that Enter', async () => {
    session = await DialogSession.start({ lateKeyMs: 400 });
    expect((await session.send('hello')).result).toBe('submitted');
    await session.logged('OPEN');
    expect(session.log().map((line) => line.split(' ')[0])).toEqual(['READY', 'SUBMIT', 'OPEN']);
    expect(session.written).toEqual([paste('hello'), '\r']);
  });
});
