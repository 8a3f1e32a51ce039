/**
 * Serves the Model Context Protocol (revision 2025-11-25) over standard input and output. Only this file uses the SDK. Only messages of the
 * protocol go to standard output.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import {
  CallToolRequestSchema,
  type CallToolResult,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
} from '@modelcontextprotocol/sdk/types.js';
import { visibleLine } from '../core/text/visible-text.ts';
import type { Conversation, PageAnswer, PageOffer, ToolAnswer, Workplace } from './conversation.ts';
import { callTool, TOOLS } from './tools.ts';

const INSTRUCTIONS =
  'Commands run here only if a human has approved them. The tool `run` answers at once. Its answer is the output, or says that the command waits for a human. If the command waits, tell the human the URL and call grants_run with the id: that call waits, runs the command and answers with its output. Never rephrase a command that waits or was denied to get it through.';

/** After the client has disconnected or a fatal signal has come, a call has this time to end what it started. */
const LEAVING_MS = 4000;
/** The longest timer of Node. */
const MAX_MS = 2 ** 31 - 1;

/**
 * @property stopped  aborted by a fatal signal
 * @property complain takes one line for standard error
 */
export interface ProtocolParts {
  readonly version: string;
  readonly workplace: Workplace;
  readonly stopped: AbortSignal;
  readonly complain: (line: string) => void;
}

/**
 * Serves until the client closes our standard input or output, or `stopped` aborts. Then cancels all calls, and waits at most `LEAVING_MS`
 * until the calls have ended.
 */
export async function serveProtocol(parts: ProtocolParts): Promise<void> {
  const server = new Server(
    { name: 'ape-shell', title: 'ape-shell: commands that a human grants', version: parts.version },
    { capabilities: { tools: {} }, instructions: INSTRUCTIONS },
  );
  const gone = new AbortController();
  const calls = new Set<Promise<unknown>>();
  server.onerror = (error) => parts.complain(error.message.split('\n')[0] ?? '');
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: listing() }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra) => {
    const tool = TOOLS.find(({ name }) => name === params.name);
    if (tool === undefined)
      throw new McpError(ErrorCode.InvalidParams, `unknown tool ${visibleLine(params.name)}; known: ${names()}`);
    const token = extra._meta?.progressToken;
    let last = -1;
    const talk: Conversation = {
      cancelled: AbortSignal.any([extra.signal, gone.signal]),
      progress: (elapsedMs, message) => {
        if (token === undefined) return;
        last = Math.max(last + 1, Math.round(elapsedMs / 1000)); // the protocol wants a greater number in each notification
        const progress = { progressToken: token, progress: last, message };
        extra.sendNotification({ method: 'notifications/progress', params: progress }).catch(() => undefined);
      },
      offerPage: pageOffers(server),
    };
    const answer = callTool(tool, parts.workplace, params.arguments ?? {}, talk);
    calls.add(answer);
    return toResult(await answer.finally(() => calls.delete(answer)));
  });
  const over = new Promise<void>((resolve) => {
    process.stdin.once('end', resolve);
    process.stdin.once('close', resolve);
    process.stdout.once('error', () => resolve());
    server.onclose = resolve;
    parts.stopped.addEventListener('abort', () => resolve(), { once: true });
    if (parts.stopped.aborted) resolve();
  });
  await server.connect(new StdioServerTransport());
  await over;
  gone.abort();
  const bound = sleep(LEAVING_MS, undefined, { ref: false });
  await Promise.race([Promise.allSettled(calls), bound]);
}

const names = (): string => TOOLS.map(({ name }) => name).join(', ');

const listing = () =>
  TOOLS.map(({ name, title, description, properties, required, isReadOnly }) => ({
    name,
    title,
    description,
    inputSchema: { type: 'object' as const, properties, required: [...required], additionalProperties: false },
    annotations: { title, readOnlyHint: isReadOnly, destructiveHint: !isReadOnly, openWorldHint: !isReadOnly },
  }));

const toResult = ({ text, structure, isError }: ToolAnswer): CallToolResult => ({
  content: [{ type: 'text', text }],
  structuredContent: structure,
  isError,
});

/** Returns a function that offers a page by URL elicitation; null if the client does not support URL elicitation. */
function pageOffers(server: Server): Conversation['offerPage'] {
  if (server.getClientCapabilities()?.elicitation?.url === undefined) return null;
  return async ({ id, url, message }: PageOffer, over: AbortSignal): Promise<PageAnswer> => {
    const settled = () =>
      server
        .createElicitationCompletionNotifier(id)()
        .catch(() => undefined);
    try {
      const params = { mode: 'url' as const, elicitationId: id, url, message };
      const answer = await server.elicitInput(params, { signal: over, timeout: MAX_MS });
      if (answer.action !== 'accept') return answer.action === 'decline' ? 'declined' : 'dismissed';
      if (over.aborted) await settled();
      else over.addEventListener('abort', () => void settled(), { once: true });
      return 'opened';
    } catch {
      return 'unanswered';
    }
  };
}
