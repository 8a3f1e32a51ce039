/** One message into a real program in a real pseudo-terminal: what is written, when, and how often. */
import { afterEach, describe, expect, it } from 'vitest';
import { generic } from '../../src/core/harness/generic.ts';
import { HostedSession } from '../../src/session/host/hosted-session.ts';
import { answerSend } from '../../src/session/message/send-requests.ts';
import { DialogSession } from '../fixtures/terminal/dialog-session.ts';

const HARNESS = { ...generic, dialogDelayMs: 60 };
const paste = (text: string): string => `\u001b[200~${text}\u001b[201~`;

let session: DialogSession;
afterEach(() => session.stop());
const noted = (word: string): number => session.log().filter((line) => line.split(' ')[0] === word).length;

describe('a message that is cancelled', () => {
  it('is not written at all if it is cancelled before its paste', async () => {
    session = await DialogSession.start();
    const cancelled = AbortSignal.abort();
    expect(await session.send('hello', 'send', HARNESS, cancelled)).toMatchObject({
      result: 'not-taken',
      enters: 0,
      isDraftLeft: false,
    });
    expect(session.written).toEqual([]);
  });

  it('is not written if another message is still being sent', async () => {
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

  it('is still submitted if its paste was written, because a second attempt would enter it twice', async () => {
    session = await DialogSession.start();
    const cancel = new AbortController();
    session.onWrite = (keys) => keys.startsWith('\u001b[200~') && cancel.abort();
    expect((await session.send('hello', 'send', HARNESS, cancel.signal)).result).toBe('submitted');
    expect(cancel.signal.aborted).toBe(true);
    expect(session.written).toEqual([paste('hello'), '\r']);
    expect(noted('SUBMIT')).toBe(1);
  });

  it('is not written if it was waiting for a person to stop typing', async () => {
    session = await DialogSession.start();
    session.type('x\u0015');
    await session.logged('CLEARED');
    session.session.typed(); // the last key is new, however long the program took to start
    const cancel = new AbortController();
    setTimeout(() => cancel.abort(), 150);
    expect(await session.send('hello', 'send', HARNESS, cancel.signal)).toMatchObject({
      result: 'not-taken',
      why: 'cancelled before anything was written',
      isDraftLeft: false,
    });
    expect(session.written).toEqual([]);
  });

  it('is completed, whole and once, if a long paste is being read', async () => {
    session = await DialogSession.start();
    const text = Array.from({ length: 35 }, (_, at) => `line ${at} ${'of many words '.repeat(4)}.`).join('\n');
    const cancel = new AbortController();
    session.onWrite = (keys) => keys.startsWith('\u001b[200~') && setImmediate(() => cancel.abort());
    expect((await session.send(text, 'send', HARNESS, cancel.signal)).result).toBe('submitted');
    expect(cancel.signal.aborted).toBe(true);
    expect(session.written).toEqual([paste(text), '\r']);
    expect(noted('SUBMIT')).toBe(1);
  });

  it('is completed if it is cancelled between an Enter that was not taken and the next Enter', async () => {
    session = await DialogSession.start({ ignoredEnters: 1 });
    const cancel = new AbortController();
    session.onWrite = (keys) => keys === '\r' && cancel.abort();
    expect(await session.send('hello', 'send', HARNESS, cancel.signal)).toMatchObject({
      result: 'submitted',
      enters: 2,
    });
    expect(session.written).toEqual([paste('hello'), '\r', '\r']);
    expect(noted('SUBMIT')).toBe(1);
  });

  it('is not written at the end of the turn if its sender left while it waited for that end', async () => {
    session = await DialogSession.start();
    session.order('say user-prompt-submit {"prompt":"of a person"}');
    await expect.poll(() => session.session.activity.state).toBe('active');
    const gone = new AbortController();
    const params = { text: 'hello', waitIdleMs: 20_000 };
    const answer = answerSend('send')(session.session, params, gone.signal);
    setTimeout(() => gone.abort(), 100);
    expect(await answer).toMatchObject({ ok: true, value: { result: 'not-taken', isDraftLeft: false } });
    session.order('say stop {}');
    await expect.poll(() => session.session.activity.state).toBe('idle');
    expect(session.written).toEqual([]);
  });
});

describe('a message that the program reported', () => {
  it('is done at once, without another look at the screen, which takes long while the program paints its answer', async () => {
    session = await DialogSession.start();
    session.fate = (event) => (event === 'user-prompt-submit' ? 'late' : 'taken');
    const { session: live } = session;
    let looksSince = 0;
    live.onSignal(({ event }) => {
      if (event !== 'user-prompt-submit') return;
      live.screen = () => {
        looksSince += 1;
        return HostedSession.prototype.screen.call(live);
      };
    });
    expect(await session.send('hello')).toMatchObject({ result: 'submitted', enters: 1 });
    expect(looksSince).toBe(0);
  });
});

describe('a dialog that opens with the prompt, before anything has reported it', () => {
  it('does not refuse the message: the report comes, and the message is submitted', async () => {
    session = await DialogSession.start();
    session.fate = (event) => (event === 'user-prompt-submit' ? 'late' : 'taken');
    session.order('arm');
    expect(await session.send('hello')).toMatchObject({ result: 'submitted', enters: 1 });
    expect(session.isDialogOut).toBe(true);
    expect(session.written).toEqual([paste('hello'), '\r']);
  });

  it('does not refuse the message without a report either: it is delivered and unconfirmed', async () => {
    session = await DialogSession.start();
    session.fate = (event) => (event === 'user-prompt-submit' ? 'lost' : 'taken');
    session.order('arm');
    expect(await session.send('hello')).toMatchObject({ result: 'delivered', enters: 1 });
    expect(noted('SUBMIT')).toBe(1);
    expect(noted('KEY-INTO-DIALOG')).toBe(0);
    expect(await session.send('another')).toMatchObject({ result: 'awaiting-decision', enters: 0 });
    expect(session.written).toEqual([paste('hello'), '\r']);
  });
});

describe('an Enter that the program does not take', () => {
  it('is written again without the text', async () => {
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

  it('is not written again into a dialog that covers the text, since the guard cannot see whether the Enter was taken', async () => {
    session = await DialogSession.start({ ignoredEnters: 1, hasDialogAfterIgnored: true });
    expect(await session.send('hello')).toMatchObject({ result: 'delivered', enters: 1, isDraftLeft: true });
    expect(session.written).toEqual([paste('hello'), '\r']);
    expect(noted('KEY-INTO-DIALOG')).toBe(0);
  });
});

describe('a dialog that is drawn while this process is busy, after it has read the screen for a write', () => {
  /** Opens a dialog after look number `at` that shows `text`, and lets this process read no output until the program has drawn it. */
  const openAfterLook = (text: string, at: number): void => {
    const { session: live } = session;
    let looks = 0;
    live.screen = async () => {
      const view = await HostedSession.prototype.screen.call(live);
      if (view.lines.some((line) => line.includes(text))) looks += 1;
      if (looks !== at) return view;
      looks += 1;
      session.order('open unreported');
      for (let waited = 0; waited < 10_000 && noted('OPEN') === 0; waited += 5) sleepNow(5);
      sleepNow(DRAWING_MS);
      return view;
    };
  };
  const DRAWING_MS = 60;
  const sleepNow = (ms: number): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

  it('gets no paste', async () => {
    session = await DialogSession.start();
    await expect.poll(async () => (await session.session.screen()).lines.join('')).toContain('>');
    openAfterLook('>', 1);
    expect(await session.send('hello')).toMatchObject({ result: 'awaiting-decision', enters: 0, isDraftLeft: false });
    expect(session.written).toEqual([]);
    expect(session.isDialogOut).toBe(true);
  });

  it('gets no Enter', async () => {
    session = await DialogSession.start();
    openAfterLook('hello', 2); // the first look sees the pasted text, the second is the look before Enter
    expect(await session.send('hello')).toMatchObject({ result: 'awaiting-decision', enters: 0, isDraftLeft: true });
    expect(session.written).toEqual([paste('hello')]);
    expect(noted('KEY-INTO-DIALOG')).toBe(0);
    expect(session.isDialogOut).toBe(true);
  });
});

describe('a person who presses Enter between our paste and our Enter', () => {
  const slow = { ...HARNESS, enterDelayMs: 500 };

  it('has submitted the message: no report of that came, so it is delivered and unconfirmed, and nothing asks for a second attempt', async () => {
    session = await DialogSession.start();
    session.fate = (event) => (event === 'user-prompt-submit' ? 'lost' : 'taken');
    session.onWrite = (keys) => keys.startsWith('\u001b[200~') && setTimeout(() => session.type('\r'), 250);
    expect(await session.send('hello', 'send', slow)).toMatchObject({
      result: 'delivered',
      enters: 0,
      isDraftLeft: false,
    });
    expect(noted('SUBMIT')).toBe(1);
  });

  it('has submitted the message: the report came, and no Enter is written', async () => {
    session = await DialogSession.start();
    session.onWrite = (keys) => keys.startsWith('\u001b[200~') && setTimeout(() => session.type('\r'), 250);
    expect(await session.send('hello', 'send', slow)).toMatchObject({ result: 'submitted', enters: 0 });
    expect(noted('SUBMIT')).toBe(1);
  });
});

describe('the answer to a hook', () => {
  it('waits until the Enter was taken, so that the dialog that the hook opens cannot take that Enter', async () => {
    session = await DialogSession.start({ lateKeyMs: 400 });
    expect((await session.send('hello')).result).toBe('submitted');
    await session.logged('OPEN');
    expect(session.log().map((line) => line.split(' ')[0])).toEqual(['READY', 'SUBMIT', 'OPEN']);
    expect(session.written).toEqual([paste('hello'), '\r']);
  });
});
