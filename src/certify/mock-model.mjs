/**
 * A scripted model behind an HTTP server on loopback. The server answers in the protocol of the request: Anthropic Messages, OpenAI
 * Responses, Chat Completions or Gemini, with or without streaming. `requests` has each request that asks for a turn of the model.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { anthropicMessages } from './protocols/anthropic-messages.mjs';
import { geminiProtocol } from './protocols/gemini.mjs';
import { openaiChat } from './protocols/openai-chat.mjs';
import { openaiResponses } from './protocols/openai-responses.mjs';

const PROTOCOLS = [anthropicMessages, openaiResponses, openaiChat, geminiProtocol];
const MAX_BODY_BYTES = 32 * 1024 * 1024;

/** A turn in which the model answers with a text. */
export const say = (text) => ({ kind: 'text', text });
/** A call of the harness's shell tool. The model takes the tool's name from the request, and adds the arguments that this tool expects. */
export const shell = (command) => ({ kind: 'shell', command });
/** A call of any tool, with the arguments that the harness expects. */
export const tool = (name, input) => ({ kind: 'tool', name, input });
/** Several calls in one turn. */
export const together = (...calls) => ({ kind: 'several', calls });

/** For each name of a shell tool: a function that makes the arguments of the tool from a command. */
const SHELL_TOOLS = {
  /** Cline */
  run_commands: (command) => ({ commands: [command] }),
  /** Claude Code, Kimi Code */
  Bash: (command) => ({ command, description: 'Run it' }),
  /** opencode, Kilo, Copilot, pi */
  bash: (command) => ({ command, description: 'Run it' }),
  /** OpenClaw */
  exec: (command) => ({ command, yieldMs: 60_000 }),
  /** Codex */
  exec_command: (command) => ({ cmd: command, yield_time_ms: 30_000 }),
  /** Gemini CLI, Qwen Code */
  run_shell_command: (command) => ({ command, description: 'Run it', is_background: false }),
};

/**
 * How often the models of this process have answered. The ids of calls contain this number, so that no id occurs twice. An agent that
 * resumes a session remembers earlier ids.
 */
let answers = 0;

/**
 * @param next (request, turn) => a turn, or a promise of a turn; called only for a request that offers a shell tool. The model answers
 *             `ok` to any other request (for example, a request for a title). `turn` counts the calls of `next` from 0. `request` has
 *             `protocol`, `path`, `tools` (names), `body` (parsed) and `text` (every string in the body, one per line). If `next` throws,
 *             `faults` keeps the error, and the model answers `stop`.
 * @returns {Promise<{ url: string, requests: any[], faults: unknown[], turns: () => number, stop: () => Promise<unknown> }>}
 *   `url`: the base URL, without a path
 */
export async function startMockModel(next) {
  const requests = [];
  const faults = [];
  let turns = 0;
  const server = createServer(async (incoming, response) => {
    try {
      const path = new URL(incoming.url ?? '/', 'http://x').pathname;
      const protocol = incoming.method === 'POST' && PROTOCOLS.find(({ matches }) => matches(path));
      const bytes = await bodyOf(incoming);
      if (!protocol) return answerOtherCall(path, response);
      const body = JSON.parse(bytes.toString('utf8'));
      const request = { protocol: protocol.name, path, body, tools: protocol.toolNames(body), text: stringsIn(body) };
      requests.push(request);
      const name = request.tools.find((each) => each in SHELL_TOOLS);
      const turn = name === undefined ? say('ok') : await ask(request);
      protocol.answer(response, { path, body, turn: withShellTool(turn, name), id: ++answers });
    } catch (error) {
      faults.push(error);
      if (!response.headersSent) response.writeHead(500);
      response.end();
    }
  });
  async function ask(request) {
    try {
      return await next(request, turns++);
    } catch (error) {
      faults.push(error);
      return say('stop');
    }
  }
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (server.address()).port}`,
    requests,
    faults,
    turns: () => turns,
    stop: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Replaces a call of the shell tool by a call of the tool `name`. */
const withShellTool = (turn, name) => {
  if (turn.kind === 'several') return { ...turn, calls: turn.calls.map((each) => withShellTool(each, name)) };
  return turn.kind === 'shell' ? { kind: 'tool', name, input: SHELL_TOOLS[name](turn.command) } : turn;
};

async function bodyOf(incoming) {
  const chunks = [];
  let length = 0;
  for await (const chunk of incoming) {
    length += chunk.length;
    if (length > MAX_BODY_BYTES) throw new Error('the request is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Answers a request for something else than a turn: for the list of models, a count of tokens, or a health check. */
function answerOtherCall(path, response) {
  const answer = /count_?tokens/i.test(path)
    ? { input_tokens: 10, totalTokens: 10 }
    : { object: 'list', data: [{ id: 'mock-model', object: 'model' }], models: [] };
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify(answer));
}

/** Returns every string in a value, in order, one per line. */
export function stringsIn(value) {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null) return '';
  return Object.values(value).map(stringsIn).filter(Boolean).join('\n');
}
