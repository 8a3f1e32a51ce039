/** One message over an agent's own API, into a real program in a real pseudo-terminal: what is sent, when, and how often. */
import { afterEach, describe, expect, it } from 'vitest';
import { generic } from '../../src/core/harness/generic.ts';
import type { Harness } from '../../src/core/harness/harness.ts';
import type { SendReport, SendWay } from '../../src/core/message/send-outcome.ts';
import { OfferedApi } from '../../src/session/host/offered-api.ts';
import type { EventFrame } from '../../src/session/protocol.ts';
import { DialogSession } from '../fixtures/terminal/dialog-session.ts';

const HARNESS: Harness = { ...generic, dialogDelayMs: 60 };
const paste = (text: string): string => `\u001b[200~${text}\u001b[201~`;
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

type Told = EventFrame & { readonly text: string; readonly delivery: number; readonly untilMs: number };

let session: DialogSession;
let api: OfferedApi;
let told: Told[] = [];
afterEach(() => session.stop());

/** The plugin of the agent: hears of each message at once, and answers what `answer` says; '' answers nothing. */
async function start(
  answer: string,
  how: { readonly confirms?: boolean; readonly isGone?: boolean; readonly hasHooks?: boolean } = {},
) {
  session = await DialogSession.start({ hasHooks: how.hasHooks ?? true });
  told = [];
  api = new OfferedApi('generic', (frame) => {
    if (how.isGone === true) return false;
    const message = frame as Told;
    told.push(message);
    setImmediate(() => {
      if (how.confirms === true) confirm(message.text);
      if (answer !== '') api.answered({ delivery: message.delivery, outcome: answer, why: 'as told' });
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
    expect(told.map(({ text }) => text)).toEqual(['hello\nthere']);
    expect(session.written).toEqual([]);
  });

  it("leaves a person's half-typed line as it is, and says that it is there", async () => {
    await start('taken', { confirms: true });
    type('half a tho');
    await expect.poll(async () => (await session.session.screen()).lines.join('\n')).toContain('> half a tho');
    session.written.length = 0;
    expect(await send('hello')).toMatchObject({ result: 'submitted', via: 'api' });
    expect(told).toMatchObject([{ text: 'hello', hasDraft: true }]);
    expect(session.written).toEqual([]);
    expect((await session.session.screen()).lines.join('\n')).toContain('> half a tho');
  });

  it('tells the agent until when the verdict of the guard is valid', async () => {
    await start('taken', { confirms: true });
    const before = Date.now();
    await send('hello');
    const { untilMs = 0 } = told[0] ?? {};
    expect(untilMs).toBeGreaterThanOrEqual(before);
    expect(untilMs - before).toBeLessThan(6_000);
  });

  it('is sent by keys if the caller chose that: the API is not asked', async () => {
    await start('taken', { confirms: true });
    expect(await send('hello', 'keys')).toMatchObject({ result: 'submitted', via: 'keys', enters: 1 });
    expect(told).toEqual([]);
  });

  it('that the API took and no hook reported is delivered, unconfirmed', async () => {
    await start('taken');
    expect(await send('hello')).toMatchObject({ result: 'delivered', via: 'api' });
    expect([told.length, session.written.length]).toEqual([1, 0]);
  });
});

describe('while a decision is open', () => {
  const opened = async () => {
    type('open\r');
    await session.logged('OPEN');
    await expect.poll(() => session.isDialogOut).toBe(true);
    session.written.length = 0;
  };

  it.each(['api', undefined] as const)('nothing is handed over and no key is written (via %s)', async (via) => {
    await start('taken', { confirms: true });
    await opened();
    expect(await send('y', via)).toMatchObject({
      result: 'awaiting-decision',
      code: 'SESSION_AWAITING_DECISION',
      via: null,
    });
    expect([told, session.written]).toEqual([[], []]);
  });

  it.each([
    ['reported by a hook', true],
    ['seen on the screen alone', false],
  ])('a decision that opens while the guard says "a moment" stops the message, %s', async (_, hasHooks) => {
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
    expect([told, session.written]).toEqual([[], []]);
  });

  it('that only the agent knows, the message is refused with the same result, and not tried by keys', async () => {
    await start('awaiting-decision');
    expect(await send('hello')).toMatchObject({ result: 'awaiting-decision', code: 'SESSION_AWAITING_DECISION' });
    expect([told.length, session.written.length]).toEqual([1, 0]);
  });

  it('a hook whose dialog may open waits until the API has the message', async () => {
    await start('');
    const sending = send('hello');
    await expect.poll(() => told.length).toBe(1);
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

describe('what the API certainly did not take', () => {
  it('goes by keys', async () => {
    await start('untaken');
    expect(await send('hello')).toMatchObject({ result: 'submitted', via: 'keys' });
    expect(session.written).toEqual([paste('hello'), '\r']);
  });

  it('goes by keys when the connection was gone before anything was written', async () => {
    await start('taken', { isGone: true });
    expect(await send('hello')).toMatchObject({ result: 'submitted', via: 'keys' });
    expect(session.written).toEqual([paste('hello'), '\r']);
  });

  it.each([
    ['because it said no', true],
    ['because there is none', false],
  ])('is not written where the caller wants the API alone, %s', async (_, hasApi) => {
    await start('untaken');
    if (!hasApi) session.session.api = null;
    expect(await send('hello', 'api')).toMatchObject({ result: 'not-taken', via: null });
    expect(session.written).toEqual([]);
  });

  it('is not offered an API of another agent', async () => {
    await start('taken', { confirms: true });
    session.session.api = new OfferedApi('opencode', () => true);
    expect(await send('hello')).toMatchObject({ result: 'submitted', via: 'keys' });
  });
});

describe('an answer that was lost', () => {
  it('is unconfirmed, and nothing is sent a second time by any way', async () => {
    await start('');
    const sending = send('hello');
    await expect.poll(() => told.length).toBe(1);
    api.close();
    expect(await sending).toMatchObject({ result: 'delivered', code: 'DELIVERED_UNCONFIRMED', via: 'api' });
    expect([told.length, session.written.length]).toEqual([1, 0]);
  });

  it('is unconfirmed too if it never comes, or is not understood', async () => {
    await start('');
    expect(await send('hello')).toMatchObject({ result: 'delivered', via: 'api' });
    await session.stop();
    await start('perhaps');
    expect(await send('hello')).toMatchObject({ result: 'delivered', via: 'api' });
    expect([told.length, session.written.length]).toEqual([1, 0]);
  });

  it('counts as submitted when the program then reports the prompt', async () => {
    await start('');
    const sending = send('hello');
    await expect.poll(() => told.length).toBe(1);
    api.close();
    confirm('hello');
    expect(await sending).toMatchObject({ result: 'submitted', via: 'api' });
  });
});

describe('a text that an earlier try by keys left in the editor', () => {
  it('is completed by Enter: over the API it would be there twice', async () => {
    session = await DialogSession.start({ ignoredEnters: 3 });
    expect(await send('hello')).toMatchObject({ result: 'not-taken', isDraftLeft: true, via: 'keys' });
    told = [];
    session.session.api = new OfferedApi('generic', (frame) => told.push(frame as Told) > 0);
    expect(await send('hello')).toMatchObject({ result: 'submitted', via: 'keys', enters: 1 });
    expect(told).toEqual([]);
  });
});
