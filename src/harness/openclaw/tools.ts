/**
 * The tools of openclaw. The inputs were seen in openclaw 2026.9.6. Our plugin gets the calls in the event `before_tool_call`. Only
 * openclaw's Gateway calls the plugin.
 */
import { editTool, fetchTool, multiEditTool, readTool, searchTool, writeTool } from '../file-tools.ts';
import type { HarnessTools } from '../harness-tools.ts';
import { operationsInPatch } from '../patch.ts';
import { denied, isObject, type JsonObject, shellCall, type ToolCall, textIn, ungated } from '../tool-call.ts';

const FIELDS = { path: 'path', oldText: 'oldText', newText: 'newText', all: 'all' };

const UNGATED_ACTIONS: ReadonlySet<string> = new Set(['list', 'poll', 'log', 'kill', 'clear', 'remove']);

/**
 * The members that a call of `exec` may have besides `host`, `env` and `node`. Only `command` and `workdir` change what runs. None of these
 * members changes the host.
 */
const EXEC_FIELDS: ReadonlySet<string> = new Set([
  ...['command', 'workdir', 'yieldMs', 'background', 'timeout', 'pty', 'elevated', 'security', 'ask'],
]);
const HERE: ReadonlySet<unknown> = new Set(['auto', 'gateway']);

/**
 * Reads a call of `exec`. Denies `env`: it can set the variables that choose our installation. Denies `node`, and a `host` that is not in
 * HERE: the command would run in a container or on another machine, and ape-shell does not run there.
 */
function exec(input: JsonObject): ToolCall | null {
  const { host = 'auto', env = {}, node = '', ...others } = input;
  if (!HERE.has(host) || node !== '') return denied('exec on another host is not available: no gate is there');
  if (!isObject(env) || Object.keys(env).length > 0)
    return denied('exec with env is not available; write the variables into the command (NAME=value command)');
  return Object.keys(others).every((name) => EXEC_FIELDS.has(name)) ? shellCall(others, 'command') : null;
}

/**
 * Reads a call of `process`. The actions that are not in UNGATED_ACTIONS type keys into a running program. The gate sees commands, but not
 * keys. With these actions, an approved interactive program would be a shell without a gate.
 */
function processTool(input: JsonObject): ToolCall | null {
  const action = textIn(input, 'action');
  if (action === null) return null;
  if (UNGATED_ACTIONS.has(action)) return ungated('it looks at a process, or ends it');
  return denied(`process ${action.slice(0, 40)} is not available: it types into a running program past the gate`);
}

function patch(input: JsonObject): ToolCall | null {
  const text = textIn(input, 'input');
  const operations = text === null ? null : operationsInPatch(text);
  return operations === null ? null : { kind: 'files', operations };
}

/**
 * Reads a call of `sessions_spawn`. The runtime `subagent` starts another agent of openclaw, and our plugin gates that agent too. The
 * runtime `acp` starts another program (Claude Code, Codex …), which does not call our plugin.
 */
const spawnTool = (input: JsonObject): ToolCall =>
  Object.hasOwn(input, 'runtime') && input['runtime'] !== 'subagent'
    ? denied('sessions_spawn with another runtime than subagent is not available: it starts an agent past the gate')
    : ungated('the tools of the agent that it starts are gated');

export const openclawTools: HarnessTools = {
  tools: {
    exec,
    process: processTool,
    read: readTool('path'),
    ls: searchTool('path'),
    write: writeTool('path', 'content'),
    edit: (input) => (Object.hasOwn(input, 'edits') ? multiEditTool(FIELDS) : editTool(FIELDS))(input),
    apply_patch: patch,
    web_fetch: fetchTool('url'),
    sessions_spawn: spawnTool,
  },
  denied: {
    code_execution: 'it runs code past the gate; use exec',
    code_mode: 'it runs code past the gate; use exec',
    tool_search_code: 'it runs code past the gate; set tools.toolSearch to false',
    automations: 'it starts work later; use exec',
    cron: 'it starts work later; use exec',
    terminal: 'it types into a terminal past the gate; use exec',
    plugins: 'it switches plugins on and off, also the gate; a human does that',
    openclaw: 'it changes the settings of openclaw; a human does that',
    gateway: 'it changes the settings of openclaw; a human does that',
    secrets: 'it manages credentials; a human does that',
    skill_workshop: 'it writes skills that later turns follow; use write',
    github_publish: 'it publishes a branch past the gate; use exec with git',
    nodes: 'it runs commands on other machines',
    computer: 'it uses a desktop past the gate',
    mobile_ui: 'it uses a telephone past the gate',
    browser: 'it uses a browser with its sessions past the gate',
    screen: 'it uses the web pages of openclaw, which can change its settings',
    portal: 'it opens a port of this host',
    canvas: 'it runs code on other machines',
  },
  ungated: [
    ...['web_search', 'x_search', 'memory_search', 'memory_get'],
    ...['sessions', 'sessions_list', 'sessions_history', 'sessions_search', 'sessions_send', 'sessions_yield'],
    ...['session_status', 'subagents', 'agents_list', 'agents_wait', 'conversations_list', 'github_identity_status'],
    ...['suggest_task', 'dismiss_task', 'heartbeat_respond', 'theme', 'show_widget', 'dashboard', 'progress_card'],
    ...['get_goal', 'create_goal', 'update_goal', 'ask_user'],
    // These tools call other tools. Our plugin also gets the calls of those other tools, each with the called tool's name.
    ...['tool_search', 'tool_describe', 'tool_call'],
  ],
  /** Always false. A plugin can choose the names of its tools freely, so no name proves that a tool is an MCP server's. */
  isOfServer: () => false,
};
