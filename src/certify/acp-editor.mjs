/**
 * A minimal editor of the Agent Client Protocol. The editor sends one prompt to an agent, and carries out each request of the agent at
 * once. A request that reaches this editor without a grant leaves a side effect, which the certification case finds.
 *
 *   node acp-editor.mjs DIRECTORY MESSAGE PROGRAM [ARG…]
 *
 * Exit:
 * - 0: the prompt was answered
 * - 1 in two cases: a call failed; the agent ended before the answer, with status 0 or by a signal
 * - the status of the agent, if the agent ended before the answer with another status
 */
import { spawn, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const [directory = '', message = '', program = '', ...words] = process.argv.slice(2);
const agent = spawn(program, words, { stdio: ['pipe', 'pipe', 'inherit'] });
agent.stdin.on('error', () => undefined); // the agent may end at any time; its end is handled below
const waiting = new Map();
let count = 0;

const send = (body) => agent.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...body })}\n`);

function ask(method, params) {
  const id = ++count;
  send({ id, method, params });
  return new Promise((resolve, reject) => waiting.set(id, { resolve, reject, method }));
}

/** Carries out the agent's requests. Each key is a method. */
const HANDLERS = {
  'session/request_permission': ({ options }) => {
    process.stdout.write('permission reached the editor\n');
    const option = options.find(({ kind }) => kind === 'allow_once') ?? options[0];
    return { outcome: { outcome: 'selected', optionId: option.optionId } };
  },
  'terminal/create': ({ command, args = [], cwd = directory }) => {
    const ended = spawnSync(command, args, { cwd, encoding: 'utf8', shell: args.length === 0 });
    HANDLERS['terminal/output'] = () => ({
      output: ended.stdout,
      truncated: false,
      exitStatus: { exitCode: ended.status },
    });
    return { terminalId: 't' };
  },
  'terminal/wait_for_exit': () => ({ exitCode: 0 }),
  'terminal/release': () => ({}),
  'terminal/kill': () => ({}),
  'fs/write_text_file': ({ path, content }) => {
    writeFileSync(path, content);
    return {};
  },
  'fs/read_text_file': ({ path }) => ({ content: readFileSync(path, 'utf8') }),
};

function receive({ id, method, params, result, error }) {
  if (method === undefined) {
    const asked = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) asked?.resolve(result);
    else asked?.reject(new Error(`${asked.method}: ${error.message} ${JSON.stringify(error.data ?? '')}`));
    return;
  }
  if (id === undefined) return process.stdout.write(`${JSON.stringify(params?.update ?? params)}\n`);
  try {
    const handler = HANDLERS[method];
    if (handler === undefined) send({ id, error: { code: -32_601, message: method } });
    else send({ id, result: handler(params) });
  } catch (fault) {
    send({ id, error: { code: -32_603, message: String(fault) } });
  }
}

createInterface({ input: agent.stdout }).on('line', (line) => {
  if (line.startsWith('{')) receive(JSON.parse(line));
});
agent.once('exit', (status) => process.exit(status || 1));

try {
  const clientCapabilities = { fs: { readTextFile: true, writeTextFile: true }, terminal: true };
  await ask('initialize', { protocolVersion: 1, clientCapabilities });
  const { sessionId } = await ask('session/new', { cwd: directory, mcpServers: [] });
  const { stopReason } = await ask('session/prompt', { sessionId, prompt: [{ type: 'text', text: message }] });
  process.stdout.write(`${stopReason}\n`);
  process.exitCode = 0;
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
} finally {
  agent.removeAllListeners('exit');
  agent.stdin.end();
  agent.once('exit', () => process.exit());
}
