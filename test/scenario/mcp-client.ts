/** The client of the SDK with a real `apes mcp` process. It has the abilities of every MCP client, and URL elicitation on request. */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import {
  type CallToolResult,
  type ElicitRequest,
  ElicitRequestSchema,
  type Progress,
} from '@modelcontextprotocol/sdk/types.js';
import { DIST } from '../fixtures/programs.ts';
import type { GatedStage } from '../security/gated-stage.ts';

const PROGRAMS = join(DIST, 'bin');

export interface Answer {
  readonly text: string;
  readonly structure: Record<string, unknown>;
  readonly isError: boolean;
}

/**
 * @property elicit how this client answers an offered page; absent: the client has no URL elicitation
 * @property variables further variables of the server's environment
 */
export interface ClientKind {
  readonly elicit?: (request: ElicitRequest) => Promise<'accept' | 'decline' | 'cancel'>;
  readonly variables?: Readonly<Record<string, string>>;
}

export class McpClient {
  readonly #client: Client;
  readonly #transport: StdioClientTransport;
  readonly completed: string[] = [];
  standardError = '';

  private constructor(client: Client, transport: StdioClientTransport) {
    this.#client = client;
    this.#transport = transport;
  }

  static async connect(stage: GatedStage, kind: ClientKind = {}): Promise<McpClient> {
    const { elicit } = kind;
    const capabilities = elicit === undefined ? {} : { elicitation: { url: {} } };
    const client = new Client({ name: 'test', version: '1' }, { capabilities });
    const transport = new StdioClientTransport({
      command: join(PROGRAMS, 'apes'),
      args: ['mcp'],
      cwd: join(stage.scratch, 'work'),
      stderr: 'pipe',
      env: {
        HOME: join(stage.scratch, 'home'),
        APES_HOME: stage.apesHome,
        PATH: `${PROGRAMS}:/usr/local/bin:/usr/bin:/bin`,
        LC_ALL: 'C.UTF-8',
        SHELL: '/bin/bash',
        ...kind.variables,
      },
    });
    const made = new McpClient(client, transport);
    transport.stderr?.on('data', (chunk: Buffer) => {
      made.standardError += chunk.toString();
    });
    if (elicit !== undefined)
      client.setRequestHandler(ElicitRequestSchema, async (request) => ({ action: await elicit(request) }));
    client.fallbackNotificationHandler = async ({ method, params }) => {
      if (method === 'notifications/elicitation/complete') made.completed.push(String(params?.['elicitationId']));
    };
    await client.connect(transport);
    return made;
  }

  get pid(): number {
    return this.#transport.pid ?? 0;
  }

  get raw(): Client {
    return this.#client;
  }

  async call(
    name: string,
    given: Record<string, unknown>,
    more: { signal?: AbortSignal; onprogress?: (progress: Progress) => void } = {},
  ): Promise<Answer> {
    const result = (await this.#client.callTool({ name, arguments: given }, undefined, {
      timeout: 120_000,
      ...more,
    })) as CallToolResult;
    const text = result.content.map((part) => (part.type === 'text' ? part.text : `[${part.type}]`)).join('\n');
    return { text, structure: result.structuredContent ?? {}, isError: result.isError === true };
  }

  /** Asks for a command that no grant covers, and returns the id of the request. */
  async pending(command: string, more: Record<string, unknown> = {}): Promise<string> {
    const answer = await this.call('run', { command, ...more });
    const id = answer.structure['grantId'];
    if (answer.structure['outcome'] !== 'pending' || typeof id !== 'string')
      throw new Error(`not pending: ${answer.text}`);
    return id;
  }

  close(): Promise<void> {
    return this.#client.close();
  }
}

/** Waits until `look` returns a value, and returns it. Throws after a minute. */
export async function eventually<T>(look: () => T | undefined | null | false, what: string): Promise<T> {
  const deadline = Date.now() + 60_000;
  for (;;) {
    const found = look();
    if (found !== undefined && found !== null && found !== false) return found;
    if (Date.now() > deadline) throw new Error(`did not happen: ${what}`);
    await sleep(20);
  }
}
