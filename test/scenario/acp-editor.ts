/** An editor, made with the library of the Agent Client Protocol, in front of a real `apes acp` with an agent behind it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type ClientConnection, client, methods, ndJsonStream } from '@agentclientprotocol/sdk';
import { DIST } from '../fixtures/programs.ts';
import type { GatedStage } from '../security/gated-stage.ts';
import { environmentOf } from './mcp-behind-proxy.ts';

export const ACP_AGENT = fileURLToPath(new URL('../fixtures/acp-agent.mjs', import.meta.url));

type Step = readonly [method: string, params: Record<string, unknown>];

const OPTIONS = [
  { optionId: 'always', name: 'Always', kind: 'allow_always' },
  { optionId: 'once', name: 'Once', kind: 'allow_once' },
  { optionId: 'never', name: 'Never', kind: 'reject_always' },
  { optionId: 'no', name: 'No', kind: 'reject_once' },
];

/** Returns a step in which the agent asks for permission for a call with this title. */
export const permission = (title: string, more: Record<string, unknown> = {}): Step => [
  'session/request_permission',
  {
    toolCall: { toolCallId: `call-${Math.random()}`, title, kind: 'execute', rawInput: { command: title } },
    options: OPTIONS,
    ...more,
  },
];

/** The editor grants at once every request that reaches it. */
export class AcpEditor {
  /** The requests that reached the editor, each as `METHOD PARAMS`. */
  readonly reached: string[] = [];
  /** The `session/update` notifications as JSON, one a line. */
  updates = '';
  standardError = '';
  readonly ended: Promise<number | null>;
  readonly #child: ChildProcess;
  readonly #connection: ClientConnection;
  readonly #cwd: string;
  sessionId = '';

  private constructor(child: ChildProcess, cwd: string) {
    this.#child = child;
    this.#cwd = cwd;
    child.stderr?.on('data', (chunk: Buffer) => {
      this.standardError += chunk.toString();
    });
    this.ended = new Promise((resolve) => child.once('exit', (status) => resolve(status)));
    const { stdin, stdout } = child;
    if (stdin === null || stdout === null) throw new Error('no streams');
    const stream = ndJsonStream(Writable.toWeb(stdin), Readable.toWeb(stdout) as ReadableStream<Uint8Array>);
    this.#connection = client({ name: 'editor' })
      .onRequest(methods.client.session.requestPermission, ({ params }) => {
        this.reached.push(`request_permission ${JSON.stringify(params)}`);
        return { outcome: { outcome: 'selected', optionId: params.options[0]?.optionId ?? '' } };
      })
      .onRequest(methods.client.terminal.create, ({ params }) => {
        this.reached.push(`terminal ${JSON.stringify(params)}`);
        return { terminalId: 't' };
      })
      .onRequest(methods.client.fs.writeTextFile, ({ params }) => {
        this.reached.push(`write ${JSON.stringify(params)}`);
        writeFileSync(params.path, params.content);
        return {};
      })
      .onRequest(methods.client.fs.readTextFile, ({ params }) => {
        this.reached.push(`read ${params.path}`);
        return { content: readFileSync(params.path, 'utf8') };
      })
      .onNotification(methods.client.session.update, ({ params }) => {
        this.updates += `${JSON.stringify(params.update)}\n`;
      })
      .connect(stream);
  }

  static async start(stage: GatedStage, agent: readonly string[], options: readonly string[] = []): Promise<AcpEditor> {
    const cwd = join(stage.scratch, 'work');
    const child = spawn(join(DIST, 'bin/apes'), ['acp', ...options, '--', ...agent], {
      cwd,
      env: environmentOf(stage),
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const editor = new AcpEditor(child, cwd);
    try {
      await editor.#open();
      return editor;
    } catch (error) {
      await editor.close();
      throw error;
    }
  }

  async #open(): Promise<void> {
    const { agent } = this.#connection;
    await agent.request(methods.agent.initialize, {
      protocolVersion: 1,
      clientCapabilities: { fs: { readTextFile: true, writeTextFile: true }, terminal: true },
    });
    const made = await agent.request(methods.agent.session.new, { cwd: this.#cwd, mcpServers: [] });
    this.sessionId = made.sessionId;
  }

  /**
   * Waits until a `session/update` matches, and returns the first group of the match, or the whole match. Throws after 20 s. The wait is
   * necessary, because the library returns an answer before it handles the notifications that it read together with the answer.
   */
  async untilUpdate(pattern: RegExp): Promise<string> {
    const deadlineMs = Date.now() + 20_000;
    for (;;) {
      const found = pattern.exec(this.updates);
      if (found !== null) return found[1] ?? found[0];
      if (Date.now() > deadlineMs) throw new Error(`no session/update matches ${String(pattern)}\n${this.updates}`);
      await setTimeout(20);
    }
  }

  /** Sends the prompt, and waits until the turn is over. */
  async prompt(text: string): Promise<string> {
    const { sessionId } = this;
    const done = await this.#connection.agent.request(methods.agent.session.prompt, {
      sessionId,
      prompt: [{ type: 'text', text }],
    });
    return done.stopReason;
  }

  ask(...steps: readonly Step[]): Promise<string> {
    return this.prompt(JSON.stringify(steps));
  }

  cancel(): Promise<void> {
    return this.#connection.agent.notify(methods.agent.session.cancel, { sessionId: this.sessionId });
  }

  async close(): Promise<void> {
    this.#child.stdin?.end();
    await this.ended;
  }
}

/** Waits until a request with this text is in the inbox, and returns its id. Throws after a minute. */
export async function inInbox(stage: GatedStage, text: string): Promise<string> {
  const deadlineMs = Date.now() + 60_000;
  for (;;) {
    const { out } = await stage.run('apes grants inbox --json');
    const found = (JSON.parse(out) as { data: { id: string; request: { text: string } }[] }).data;
    const grant = found.find(({ request }) => request.text.includes(text));
    if (grant !== undefined) return grant.id;
    if (Date.now() > deadlineMs) throw new Error(`not in the inbox: ${text}\n${out}`);
  }
}
