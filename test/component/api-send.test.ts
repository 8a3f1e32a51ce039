/** One message over the API of an agent, into a real program in a real pseudo-terminal: what is sent, when, and how often. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { generic } from '../../src/core/harness/generic.ts';
import type { Harness } from '../../src/core/harness/harness.ts';
import type { SendReport, SendWay } from '../../src/core/message/send-outcome.ts';
import { OfferedApi } from '../../src/session/host/offered-api.ts';
import type { EventFrame } from '../../src/session/protocol.ts';
import { DialogSession } from '../fixtures/terminal/dialog-session.ts';

const HARNESS: Harness = { ...generic, dialogDelayMs: 60 };
const paste = (text: string): string => `\u001b[200~${text}\u001b[201~`;
type SentMessage = EventFrame & { readonly text: string; readonly delivery: number; readonly untilMs: number };

let session: DialogSession;
let api: OfferedApi;
let sentMessages: SentMessage[] = [];
afterEach(() => session.stop());

/** The plugin of the agent: gets each message and answers `answer` at once. With '' it does not answer. */
async function start(
  answer: string,
  how: { readonly confirms?: boolean; readonly isGone?: boolean; readonly hasHooks?: boolean } = {},
) {
  session = await DialogSession.start({ hasHooks: how.hasHooks ?? true });
  sentMessages = [];
  api = new OfferedApi('generic', (frame) => {
    if (how.isGone === true) return false;
    const message = frame as SentMessage;
    sentMessages.push(message);
    setImmediate(() => {
      if (how.confirms === true) confirm(message.text);
      if (answer !== '') api.answered({ delivery: message.delivery, outcome: answer, why: 'as the test says' });
    });
    return true;
  });
  session.session.api = api;
}

const confirm = (promptText: string): void =>
  session.session.takeSignal({
    event: 'user-prompt-submit',
    state: 'active',
    toolName: null,
    toolUseId: null,
    promptText,
  });
const send = (text: string, via?: SendWay, harness = HARNESS): Promise<SendReport> =>
  session.send(text, 'send', harness, undefined, via);
/** Types as a person at the keyboard does. */
function type(keys: string): void {
  session.session.typed();
  session.session.write(Buffer.from(keys));
}

describe('a message over the API', () => {
  it('writes nothing into the terminal, and is confirmed by the report of the prompt', async () => {
    await start('taken', { confirms: true });
    expect(await send('hello\nthere')).toMatchObject({
      result: 'submitted',
      via: 'api',
      enters: 0,
      isDraftLeft: false,
    });
    expect(sentMessages.map(({ text }) => text)).toEqual(['hello\nthere']);
    expect(session.written).toEqual([]);
  });

  it('leaves a half-typed line of a person unchanged, and says that there is one', async () => {
    await start('taken', { confirms: true });
    type('half a tho');
    await expect.poll(async () => (await session.session.screen()).lines.join('\n')).toContain('> half a tho');
    session.written.length = 0;
    expect(await send('hello')).toMatchObject({ result: 'submitted', via: 'api' });
    expect(sentMessages).toMatchObject([{ text: 'hello', hasDraft: true }]);
    expect(session.written).toEqual([]);
    expect((await session.session.screen()).lines.join('\n')).toContain('> half a tho');
  });

  it('gives the agent the time until which the verdict of the guard is valid', async () => {
    await start('taken', { confirms: true });
    const before = Date.now();
    await send('hello');
    const { untilMs = 0 } = sentMessages[0] ?? {};
    expect(untilMs).toBeGreaterThanOrEqual(before);
    expect(untilMs - before).toBeLessThan(6_000);
  });

  it('is sent by keys, without asking the API, if the caller chose keys', async () => {
    await start('taken', { confirms: true });
    expect(await send('hello', 'keys')).toMatchObject({ result: 'submitted', via: 'keys', enters: 1 });
    expect(sentMessages).toEqual([]);
  });

  it('is delivered but unconfirmed if the API took it and no hook reported it', async () => {
    await start('taken');
    expect(await send('hello')).toMatchObject({ result: 'delivered', via: 'api' });
    expect([sentMessages.length, session.written.length]).toEqual([1, 0]);
  });
});

describe('while a decision is open', () => {
  const opened = async () => {
    type('open\r');
    await session.logged('OPEN');
    await expect.poll(() => session.isDialogOut).toBe(true);
    session.written.length = 0;
  };

  it.each(['api', undefined] as const)(
    'no message is sent over the API and no key is written (via %s)',
    async (via) => {
      await start('taken', { confirms: true });
      await opened();
      expect(await send('y', via)).toMatchObject({
        result: 'awaiting-decision',
        code: 'SESSION_AWAITING_DECISION',
        via: null,
      });
      expect([sentMessages, session.written]).toEqual([[], []]);
    },
  );

  it.each([
    ['reported by a hook', true],
    ['seen only on the screen', false],
  ])('a decision that opens while the guard waits a moment stops the message: %s', async (_, hasHooks) => {
    await start('taken', { confirms: true, hasHooks });
    const patient = { ...HARNESS, dialogDelayMs: 5_000 };
    session.session.takeSignal({
      event: 'pre-tool-use',
      state: 'active',
      toolName: 'Shell',
      toolUseId: 'before',
      promptText: null,
    });
    const sending = send('hello', undefined, patient);
    await sleep(100);
    await opened();
    expect(await sending).toMatchObject({ result: 'awaiting-decision', via: null });
    expect([sentMessages, session.written]).toEqual([[], []]);
  });

  it('a message is refused, and not tried by keys, if only the agent knows of the decision', async () => {
    await start('awaiting-decision');
    expect(await send('hello')).toMatchObject({ result: 'awaiting-decision', code: 'SESSION_AWAITING_DECISION' });
    expect([sentMessages.length, session.written.length]).toEqual([1, 0]);
  });

  it('a hook that may open a dialog waits until the API has the message', async () => {
    await start('');
    const sending = send('hello');
    await expect.poll(() => sentMessages.length).toBe(1);
    const order: string[] = [];
    type('open\r');
    void session.logged('OPEN').then(() => order.push('dialog'));
    await sleep(500);
    order.push('answer');
    api.answered({ delivery: 1, outcome: 'taken' });
    confirm('hello');
    expect(await sending).toMatchObject({ result: 'submitted' });
    await expect.poll(() => order).toEqual(['answer', 'dialog']);
  });
});

describe('a message that the API surely did not take', () => {
  it('is sent by keys', async () => {
    await start('untaken');
    expect(await send('hello')).toMatchObject({ result: 'submitted', via: 'keys' });
    expect(session.written).toEqual([paste('hello'), '\r']);
  });

  it('is sent by keys if the connection was gone before anything was written', async () => {
    await start('taken', { isGone: true });
    expect(await send('hello')).toMatchObject({ result: 'submitted', via: 'keys' });
    expect(session.written).toEqual([paste('hello'), '\r']);
  });

  it.each([
    ['the API refused it', true],
    ['there is no API', false],
  ])('is not written if the caller allows only the API: %s', async (_, hasApi) => {
    await start('untaken');
    if (!hasApi) session.session.api = null;
    expect(await send('hello', 'api')).toMatchObject({ result: 'not-taken', via: null });
    expect(session.written).toEqual([]);
  });

  it('is not sent over the API of another agent', async () => {
    await start('taken', { confirms: true });
    session.session.api = new OfferedApi('opencode', () => true);
    expect(await send('hello')).toMatchObject({ result: 'submitted', via: 'keys' });
  });
});

describe('a message whose answer was lost', () => {
  it('is unconfirmed, and is not sent a second time in any way', async () => {
    await start('');
    const sending = send('hello');
    await expect.poll(() => sentMessages.length).toBe(1);
    api.close();
    expect(await sending).toMatchObject({ result: 'delivered', code: 'DELIVERED_UNCONFIRMED', via: 'api' });
    expect([sentMessages.length, session.written.length]).toEqual([1, 0]);
  });

  it('is unconfirmed too if the answer never comes, or is not understood', async () => {
    await start('');
    expect(await send('hello')).toMatchObject({ result: 'delivered', via: 'api' });
    await session.stop();
    await start('perhaps');
    expect(await send('hello')).toMatchObject({ result: 'delivered', via: 'api' });
    expect([sentMessages.length, session.written.length]).toEqual([1, 0]);
  });

  it('counts as submitted if the program reports the prompt afterwards', async () => {
    await start('');
    const sending = send('hello');
    await expect.poll(() => sentMessages.length).toBe(1);
    api.close();
    confirm('hello');
    expect(await sending).toMatchObject({ result: 'submitted', via: 'api' });
  });
});

describe('a text that an earlier attempt by keys left in the editor', () => {
  it('is completed by Enter, because sending it over the API would enter it twice', async () => {
    session = await DialogSession.start({ ignoredEnters: 3 });
    expect(await send('hello')).toMatchObject({ result: 'not-taken', isDraftLeft: true, via: 'keys' });
    sentMessages = [];
    session.session.api = new OfferedApi('generic', (frame) => sentMessages.push(frame as SentMessage) > 0);
    expect(await send('hello')).toMatchObject({ result: 'submitted', via: 'keys', enters: 1 });
    expect(sentMessages).toEqual([]);
  });

  it('is not entered if the message may go over the API only', async () => {
    session = await DialogSession.start({ ignoredEnters: 3 });
    expect(await send('hello')).toMatchObject({ result: 'not-taken', isDraftLeft: true, via: 'keys' });
    session.session.api = new OfferedApi('generic', (frame) => sentMessages.push(frame as SentMessage) > 0);
    sentMessages = [];
    session.written.length = 0;
    expect(await send('hello', 'api')).toMatchObject({ result: 'not-taken', isDraftLeft: true });
    expect([sentMessages, session.written]).toEqual([[], []]);
  });
});
