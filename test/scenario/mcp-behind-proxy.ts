/** A client, raw or of the SDK, in front of a real `apes mcp-proxy` with a server behind it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { DIST } from '../fixtures/programs.ts';
import type { GatedStage } from '../security/gated-stage.ts';

const PROGRAMS = join(DIST, 'bin');
const require = createRequire(import.meta.url);

/** Returns the path of the program of an MCP server that is an npm package. */
export const packagedServer = (name: 'filesystem' | 'everything'): string =>
  require.resolve(`@modelcontextprotocol/server-${name}/dist/index.js`);

export const environmentOf = (stage: GatedStage): Record<string, string> => ({
  HOME: join(stage.scratch, 'home'),
  APES_HOME: stage.apesHome,
  PATH: `${PROGRAMS}:/usr/local/bin:/usr/bin:/bin`,
  LC_ALL: 'C.UTF-8',
});

export interface CallAnswer {
  readonly text: string;
  readonly isError: boolean;
}

/** The client of the SDK. */
export class ProxiedClient {
  readonly client: Client;
  readonly progress: string[] = [];

  private constructor(client: Client) {
    this.client = client;
  }

  static async connect(
    stage: GatedStage,
    server: readonly string[],
    options: readonly string[] = [],
  ): Promise<ProxiedClient> {
    const client = new Client({ name: 'test', version: '1' }, { capabilities: {} });
    const transport = new StdioClientTransport({
      command: join(PROGRAMS, 'apes'),
      args: ['mcp-proxy', ...options, '--', ...server],
      cwd: join(stage.scratch, 'work'),
      stderr: 'ignore',
      env: environmentOf(stage),
    });
    await client.connect(transport);
    return new ProxiedClient(client);
  }

  async call(name: string, given: Record<string, unknown>): Promise<CallAnswer> {
    const answer = (await this.client.callTool({ name, arguments: given }, undefined, {
      timeout: 120_000,
      resetTimeoutOnProgress: true,
      onprogress: ({ message }) => this.progress.push(message ?? ''),
    })) as CallToolResult;
    return {
      text: answer.content.map((part) => (part.type === 'text' ? part.text : '')).join(''),
      isError: answer.isError === true,
    };
  }

  close(): Promise<void> {
    return this.client.close();
  }
}

/** A client that sends lines unchanged, so that a test can send malformed messages. */
export class RawClient {
  readonly #child: ChildProcess;
  readonly received: Record<string, unknown>[] = [];
  /** Lines on standard output that are not messages of the protocol. */
  readonly stray: string[] = [];
  standardError = '';
  readonly ended: Promise<number | null>;
  #rest = '';
  #changed: () => void = () => undefined;

  constructor(
    stage: GatedStage,
    server: readonly string[],
    options: readonly string[] = [],
    verb: 'mcp-proxy' | 'acp' = 'mcp-proxy',
  ) {
    this.#child = spawn(join(PROGRAMS, 'apes'), [verb, ...options, '--', ...server], {
      cwd: join(stage.scratch, 'work'),
      env: environmentOf(stage),
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    this.#child.stdin?.on('error', () => undefined);
    this.#child.stderr?.on('data', (chunk: Buffer) => {
      this.standardError += chunk.toString();
    });
    this.#child.stdout?.on('data', (chunk: Buffer) => this.#take(chunk.toString()));
    this.ended = new Promise((resolve) => this.#child.once('exit', (status) => resolve(status)));
  }

  #take(text: string): void {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) {
      try {
        this.received.push(JSON.parse(line) as Record<string, unknown>);
      } catch {
        this.stray.push(line);
      }
    }
    this.#changed();
  }

  send(message: string | Record<string, unknown>): void {
    this.#child.stdin?.write(
      typeof message === 'string' ? message : `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`,
    );
  }

  /** Returns the first message that fits, and waits for it if it has not come. Throws after a minute, with the received messages. */
  async see(fits: (message: Record<string, unknown>) => boolean): Promise<Record<string, unknown>> {
    const deadlineMs = Date.now() + 60_000;
    for (;;) {
      const found = this.received.find(fits);
      if (found !== undefined) return found;
      if (Date.now() > deadlineMs)
        throw new Error(`not seen; received: ${JSON.stringify(this.received).slice(0, 2000)}\n${this.standardError}`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, 500);
        this.#changed = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }

  answer(id: unknown): Promise<Record<string, unknown>> {
    return this.see((message) => message['id'] === id && !('method' in message));
  }

  /** Calls a tool and returns the text of its result, or of its error. */
  async call(id: string | number, name: string, given: Record<string, unknown>): Promise<string> {
    this.send({ id, method: 'tools/call', params: { name, arguments: given } });
    return textOf(await this.answer(id));
  }

  leave(): void {
    this.#child.stdin?.end();
  }

  async close(): Promise<void> {
    this.leave();
    await this.ended;
  }
}

/** Returns the text of the result of a call, or of its error. */
export function textOf(message: Record<string, unknown>): string {
  const { result, error } = message as { result?: CallToolResult; error?: { message: string } };
  if (error !== undefined) return `error: ${error.message}`;
  return (result?.content ?? []).map((part) => (part.type === 'text' ? part.text : '')).join('');
}

/** Returns the id of the grant that a text names. Throws if it names none. */
export function grantIn(text: string): string {
  const id = /g_[a-z2-7]{26}/.exec(text)?.[0];
  if (id === undefined) throw new Error(`no grant in: ${text}`);
  return id;
}
