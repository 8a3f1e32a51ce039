/**
 * The plugin of opencode's window with the session's socket: the real text of the plugin, the real socket, and a stand-in for the
 * window. With the real opencode: `npm run tripwire -- --case send --only opencode`.
 */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { windowPluginText } from '../../src/harness/plugin-text.ts';
import { FrameDecoder } from '../../src/platform/frame-decoder.ts';
import { encodeFrame } from '../../src/platform/frames.ts';
import { HostedSession } from '../../src/session/host/hosted-session.ts';
import { FRESH_MS } from '../../src/session/host/offered-api.ts';
import { openSessionSocket, type SessionSocket } from '../../src/session/host/session-socket.ts';
import type { HandOver } from '../../src/session/message/message-api.ts';
import { jsonFrame, parseJson, SESSION_LIMITS } from '../../src/session/protocol.ts';
import { programPath } from '../fixtures/programs.ts';
import { removeInstallation } from '../fixtures/remove-installation.ts';

const PEER = programPath('peer-uid');
const MODEL = { name: 'Big One', variants: { high: {} } };
let place: string;
let session: HostedSession;
let socket: SessionSocket;
let files = 0;
let dispose: (() => void)[] = [];

beforeEach(async () => {
  place = mkdtempSync(join(tmpdir(), 'ape-window-'));
  session = sessionOf('opencode');
  const opened = await openSessionSocket({
    session,
    path: join(place, 's'),
    peerPath: PEER,
    journal: () => null,
  });
  if (!opened.ok) throw new Error(opened.failure.message);
  socket = opened.value;
  writeFileSync(join(place, 'apes'), `#!/bin/sh\n[ "$*" = 'hooks socket' ] && echo '${join(place, 's')}'\n`, {
    mode: 0o755,
  });
});
afterEach(async () => {
  for (const each of dispose) each();
  dispose = [];
  await socket.close(0);
  removeInstallation(place);
});

function sessionOf(program: string): HostedSession {
  const facts = { id: 's_0', name: null, kind: 'program' as const, program: [program], cwd: '/', startedAtMs: 0 };
  const terminal = {
    pid: () => null,
    device: () => null,
    write: () => undefined,
    readOutput: () => undefined,
    resize: () => undefined,
    hangUp: () => undefined,
    kill: () => undefined,
    recall: () => Promise.resolve(),
  };
  return new HostedSession(facts, terminal, { columns: 80, rows: 24 }, false);
}

/** The parts of the window of opencode 1.18 that the plugin uses. */
interface Window {
  route: { name: string; params?: { sessionID: string } };
  agents: readonly object[];
  provider: readonly object[];
  /** The open permission dialogs that opencode's server reports. */
  open: readonly object[];
  /** The open permission dialogs that the window shows. */
  shown: readonly object[];
  parentID?: string;
  answer: () => Promise<object>;
  prompts: unknown[];
  created: number;
}

const windowWith = (change: Partial<Window>): Window => ({
  route: { name: 'session', params: { sessionID: 'ses_1' } },
  agents: [
    { name: 'build', mode: 'primary' },
    { name: 'plan', mode: 'primary' },
    { name: 'plan', mode: 'subagent' },
    { name: 'title', mode: 'primary', hidden: true },
  ],
  provider: [{ id: 'p', name: 'Acme', models: { one: MODEL, two: { name: 'Small One' } } }],
  open: [],
  shown: [],
  answer: async () => ({ response: { status: 204 } }),
  prompts: [],
  created: 0,
  ...change,
});

/** Starts the plugin in a window, and waits until the plugin has offered its API. */
async function open(change: Partial<Window> = {}): Promise<Window> {
  const window = windowWith(change);
  await start(window);
  await expect.poll(() => session.api?.harness, { timeout: 60_000 }).toBe('opencode');
  return window;
}

/** Loads the plugin as opencode does, which calls everything that a plugin exports. */
async function start(window: Window): Promise<void> {
  files += 1;
  const file = join(place, `plugin-${files}.mjs`);
  // The plugin calls the program DIST/bin/apes. A script takes its place here.
  const text = windowPluginText('/nowhere');
  expect(text).toContain('"/nowhere/bin/apes"');
  writeFileSync(file, text.replace('"/nowhere/bin/apes"', JSON.stringify(join(place, 'apes'))));
  const exported = (await import(pathToFileURL(file).href)) as {
    default: { tui: (api: unknown) => Promise<void> };
  };
  expect(Object.keys(exported)).toEqual(['default']);
  await exported.default.tui(windowApi(window));
}

const windowApi = (window: Window) => ({
  client: {
    app: { agents: async () => ({ data: window.agents }) },
    permission: { list: async () => ({ data: window.open }) },
    question: { list: async () => ({ data: [] }) },
    session: {
      create: async () => {
        window.created += 1;
        return { data: { id: 'ses_new' } };
      },
      promptAsync: async (prompt: unknown) => {
        window.prompts.push(prompt);
        return window.answer();
      },
    },
  },
  route: {
    get current() {
      return window.route;
    },
    navigate: (name: string, params: { sessionID: string }) => {
      window.route = { name, params };
    },
  },
  state: {
    provider: window.provider,
    session: {
      get: () => (window.parentID === undefined ? {} : { parentID: window.parentID }),
      permission: () => window.shown,
      question: () => [],
    },
  },
  lifecycle: { onDispose: (listener: () => void) => dispose.push(listener) },
});

const handOver = (status = 'Build · Big One Acme', hasDraft = false): Promise<HandOver> =>
  session.api?.handOver({ text: 'hello', status, hasDraft }) ?? Promise.reject(new Error('nothing is offered'));

describe('the plugin of the window of opencode', () => {
  it.each([
    ['Build · Big One Acme', { agent: 'build', model: { providerID: 'p', modelID: 'one' } }],
    ['Plan · Big One Acme', { agent: 'plan', model: { providerID: 'p', modelID: 'one' } }],
    ['Plan · Small One Acme', { agent: 'plan', model: { providerID: 'p', modelID: 'two' } }],
    ['Build · Big One Acme · high', { agent: 'build', model: { providerID: 'p', modelID: 'one' }, variant: 'high' }],
  ])('gives the message to the agent and model that the window shows: %s', async (status, choice) => {
    const window = await open();
    expect(await handOver(status)).toEqual({ kind: 'taken' });
    expect(window.prompts).toEqual([{ sessionID: 'ses_1', ...choice, parts: [{ type: 'text', text: 'hello' }] }]);
  });

  it.each(['Shell', 'Build · Big One', 'Title · Big One Acme', 'Build · Big One Acme auto', ''])(
    'takes no message if the window shows no known agent and model: %j',
    async (status) => {
      const window = await open();
      expect(await handOver(status)).toMatchObject({ kind: 'untaken' });
      expect(window.prompts).toEqual([]);
    },
  );

  it('takes no message if two models have the same name', async () => {
    const window = await open({ provider: [{ id: 'p', name: 'Acme', models: { one: MODEL, other: MODEL } }] });
    expect(await handOver()).toMatchObject({ kind: 'untaken' });
    expect(window.prompts).toEqual([]);
  });

  it.each([
    ['opencode', { open: [{}] }],
    ['its window', { shown: [{}] }],
  ])('takes no message while %s has an open permission dialog', async (_, change) => {
    const window = await open(change);
    expect(await handOver()).toMatchObject({ kind: 'awaiting-decision' });
    expect(window.prompts).toEqual([]);
  });

  it('begins a conversation if there is none, as for a person who types, but not if the input line has text', async () => {
    const window = await open({ route: { name: 'home' } });
    expect(await handOver('Build · Big One Acme', true)).toMatchObject({ kind: 'untaken' });
    expect([window.created, window.prompts.length]).toEqual([0, 0]);
    expect(await handOver()).toEqual({ kind: 'taken' });
    expect(window.prompts).toMatchObject([{ sessionID: 'ses_new' }]);
    expect(window.route).toEqual({ name: 'session', params: { sessionID: 'ses_new' } });
  });

  it.each([
    ["a subagent's conversation", { parentID: 'ses_0' }],
    ['no conversation', { route: { name: 'plugins' } }],
  ])('takes no message while the window shows %s', async (_, change) => {
    const window = await open(change);
    expect(await handOver()).toMatchObject({ kind: 'untaken' });
    expect(window.prompts).toEqual([]);
  });

  it('does not take a message that it reads too late', async () => {
    const window = await open();
    const { agents } = window;
    Object.defineProperty(window, 'agents', {
      get: () => {
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, FRESH_MS + 200);
        return agents;
      },
    });
    expect(await handOver()).toEqual({ kind: 'untaken', why: 'the message came too late' });
    expect(window.prompts).toEqual([]);
  });

  it.each([
    ['refuses', 'untaken', async () => ({ error: {}, response: { status: 400 } })],
    ['fails', 'lost', async () => ({ error: {}, response: { status: 500 } })],
    ['breaks off the connection', 'lost', () => Promise.reject(new Error('socket hang up'))],
  ])('when opencode %s, reports the message as %s', async (_, kind, answer) => {
    await open({ answer });
    expect(await handOver()).toMatchObject({ kind });
  });

  it('that ends before it answers reports the message as lost, and withdraws its offer', async () => {
    const window = await open({ answer: () => new Promise(() => undefined) });
    const handing = handOver();
    await expect.poll(() => window.prompts.length).toBe(1);
    for (const each of dispose) each();
    expect(await handing).toMatchObject({ kind: 'lost' });
    expect(session.api).toBeNull();
  });
});

describe('the plugin at a socket that is no session', () => {
  it.each([
    ['of a type that no session sends', encodeFrame('Z')],
    ['that says it is longer than 8 MiB', Buffer.from([0x4a, 0xff, 0xff, 0xff, 0xff])],
  ])('closes the connection at a frame %s', async (_, bytes) => {
    const other = createServer();
    const closed = new Promise((resolve) => {
      other.on('connection', (connection) => {
        connection.on('close', resolve).resume();
        connection.write(bytes);
      });
    });
    await new Promise<void>((resolve) => other.listen(join(place, 'other'), resolve));
    writeFileSync(join(place, 'apes'), `#!/bin/sh\necho '${join(place, 'other')}'\n`);
    await start(windowWith({}));
    await closed;
    other.close();
  });
});

describe('an offer on the socket of a session', () => {
  const sockets: Socket[] = [];
  afterEach(() => {
    for (const each of sockets.splice(0)) each.destroy();
  });

  function client() {
    const stream = new FrameDecoder(SESSION_LIMITS);
    const answers: Record<string, unknown>[] = [];
    const made = connect(join(place, 's'));
    sockets.push(made);
    made.on('data', (chunk) => answers.push(...stream.take(chunk).map(({ payload }) => parseJson(payload))));
    return async (request: string, params: object = {}) => {
      const before = answers.length;
      made.write(jsonFrame({ id: 1, request, params }));
      await expect.poll(() => answers.length, { timeout: 60_000 }).toBe(before + 1);
      return answers.at(-1)?.['ok'];
    };
  }

  it('excludes a second offer until the first is withdrawn', async () => {
    const window = await open();
    const second = client();
    expect(await second('offer', { harness: 'opencode' })).toBe(false);
    expect(await handOver()).toEqual({ kind: 'taken' });
    expect(window.prompts.length).toBe(1);
    for (const each of dispose) each();
    await expect.poll(() => session.api).toBeNull();
    expect(await second('offer', { harness: 'opencode' })).toBe(true);
  });

  it('is refused if the client names an agent other than that of the session, or none', async () => {
    session.activity.recognise(['opencode']);
    const other = client();
    expect(await other('offer', { harness: 'codex' })).toBe(false);
    expect(await other('offer', { harness: 'no such agent' })).toBe(false);
    expect(await other('offer')).toBe(false);
    expect(session.api).toBeNull();
  });

  it('allows answers on its own connection only', async () => {
    const window = await open({ answer: () => sleep(300).then(() => ({ response: { status: 204 } })) });
    const other = client();
    const handing = handOver();
    expect(await other('delivered', { delivery: 1, outcome: 'untaken' })).toBe(false);
    expect(await handing).toEqual({ kind: 'taken' });
    expect(window.prompts.length).toBe(1);
  });
});
