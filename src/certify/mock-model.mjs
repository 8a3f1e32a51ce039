/**
 * A model on loopback that says what a script tells it to. It answers in the protocol of the request: Anthropic Messages, OpenAI
 * Responses, Chat Completions or Gemini; with or without streaming. It keeps every request.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { anthropicMessages } from './protocols/anthropic-messages.mjs';
import { geminiProtocol } from './protocols/gemini.mjs';
import { openaiChat } from './protocols/openai-chat.mjs';
import { openaiResponses } from './protocols/openai-responses.mjs';

const PROTOCOLS = [anthropicMessages, openaiResponses, openaiChat, geminiProtocol];
const BODY_LIMIT = 32 * 1024 * 1024;

/** A turn of the model that is a text. */
export const say = (text) => ({ kind: 'text', text });
/** A call of the harness's shell tool, whatever its name is there. */
export const shell = (command) => ({ kind: 'shell', command });
/** A call of any tool, with the arguments that the harness expects. */
export const tool = (name, input) => ({ kind: 'tool', name, input });
/** Several calls in one turn. */
export const together = (...calls) => ({ kind: 'several', calls });

/**
 * The arguments of the harnesses' shell tools, by the tool's name.
 * cline · claude, kimi, opencode · openclaw · codex · gemini, qwen
 */
const SHELL_TOOLS = {
  run_commands: (command) => ({ commands: [command] }),
  Bash: (command) => ({ command, description: 'Run it' }),
  bash: (command) => ({ command, description: 'Run it' }),
  exec: (command) => ({ command, yieldMs: 60_000 }),
  exec_command: (command) => ({ cmd: command, yield_time_ms: 30_000 }),
  run_shell_command: (command) => ({ command, description: 'Run it', is_background: false }),
};

/** Counts the answers of all models, so that no two calls have the same id: an agent that resumes a session remembers earlier ids. */
let answers = 0;

/**
 * @param next (request, turn) => a turn, or a promise of one; called only for requests that offer a shell tool (others,
 *             such as one for a title, are answered `ok`). `request` has `protocol`, `tools` (names), `body` (parsed) and
 *             `text` (every string in the body, a line each). If it throws, `faults` keeps the error, and the model says `stop`.
 * @returns {Promise<{ url: string, requests: any[], faults: unknown[], turns: () => number, stop: () => Promise<unknown> }>} the base URL without a path
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
      if (!protocol) return besides(path, response);
      const body = JSON.parse(bytes.toString('utf8'));
      const request = { protocol: protocol.name, path, body, tools: protocol.toolNames(body), text: stringsIn(body) };
      requests.push(request);
      const name = request.tools.find((each) => each in SHELL_TOOLS);
      const turn = name === undefined ? say('ok') : await ask(request);
      protocol.answer(response, { path, body, turn: concrete(turn, name), id: ++answers });
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

const concrete = (turn, name) => {
  if (turn.kind === 'several') return { ...turn, calls: turn.calls.map((each) => concrete(each, name)) };
  return turn.kind === 'shell' ? { kind: 'tool', name, input: SHELL_TOOLS[name](turn.command) } : turn;
};

async function bodyOf(incoming) {
  const chunks = [];
  let length = 0;
  for await (const chunk of incoming) {
    length += chunk.length;
    if (length > BODY_LIMIT) throw new Error('the request is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Answers the other requests of harnesses to a model's server: the list of models, the number of tokens, whether it is there. */
function besides(path, response) {
  const answer = /count_?tokens/i.test(path)
    ? { input_tokens: 10, totalTokens: 10 }
    : { object: 'list', data: [{ id: 'mock-model', object: 'model' }], models: [] };
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify(answer));
}

/** Every string in a value, in order, a line each. */
export function stringsIn(value) {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null) return '';
  return Object.values(value).map(stringsIn).filter(Boolean).join('\n');
}
