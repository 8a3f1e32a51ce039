/**
 * The tools of GitHub Copilot CLI, with the inputs seen in 1.0.102. In hook events, most tools have the names of Claude Code's tools
 * (`view` is `Read`, `create` is `Write`), but not the fields of Claude Code's tools. Some fields have a second, undocumented name (`paths`
 * is also `path`). So the gate denies a call of a tool for files or web pages if the call has a field that is not listed here.
 */
import { editTool, fetchTool, grepTool, type ReadTool, readTool, searchTool, writeTool } from '../file-tools.ts';
import type { HarnessTools } from '../harness-tools.ts';
import { operationsInPatch } from '../patch.ts';
import { type JsonObject, type ToolCall, textIn } from '../tool-call.ts';
import { PATCH_TEXT } from './dialect.ts';

const FIELDS = { path: 'path', oldText: 'old_str', newText: 'new_str', all: 'replace_all' };

/** Returns a reader that works as `read`, but returns null for an input with a field that is not in `fields`. */
const only =
  (fields: readonly string[], read: ReadTool): ReadTool =>
  (input) =>
    Object.keys(input).every((name) => fields.includes(name)) ? read(input) : null;

const SHELL_FIELDS = ['command', 'description', 'shellId', 'mode', 'detach', 'initial_wait'];

/** Reads a call of the shell tool. A call with a replaced command keeps only the members in SHELL_FIELDS. */
function bash(input: JsonObject): ToolCall | null {
  const command = textIn(input, 'command');
  if (command === null) return null;
  const known = Object.fromEntries(Object.entries(input).filter(([name]) => SHELL_FIELDS.includes(name)));
  return { kind: 'shell', command, put: (other) => ({ ...known, command: other }) };
}

/**
 * Reads a search. Copilot's `grep` splits a text of `paths` or `path` at blanks and commas if no file has this text as its path. So the
 * parts count as places too.
 */
const search =
  (globField: string, tool: typeof grepTool): ReadTool =>
  (input) => {
    const given = [input['paths'], input['path']].flat().filter((value) => value !== undefined);
    const texts = given.filter((value) => typeof value === 'string');
    if (texts.length !== given.length) return null;
    const places = new Set(texts.flatMap((text) => [text, ...text.split(/[\s,]+/)]).filter((text) => text !== ''));
    const calls = [...(places.size === 0 ? ['.'] : places)].map((path) =>
      tool('path', globField)({ path, [globField]: input[globField] ?? null }),
    );
    if (calls.includes(null)) return null;
    return { kind: 'files', operations: calls.flatMap((call) => (call?.kind === 'files' ? call.operations : [])) };
  };

function patch(input: JsonObject): ToolCall | null {
  const operations = operationsInPatch(textIn(input, 'patch') ?? '');
  return operations === null ? null : { kind: 'files', operations };
}

const SEARCH_FIELDS = [
  ...['pattern', 'paths', 'path', 'output_mode', 'glob', 'type', 'head_limit', 'multiline'],
  ...['-i', '-A', '-B', '-C', '-n'],
];

const fetchPage = only(['url', 'max_length', 'start_index', 'raw'], fetchTool('url'));

export const copilotTools: HarnessTools = {
  tools: {
    Bash: bash,
    Read: only(['path', 'view_range', 'forceReadLargeFiles'], readTool('path')),
    Write: only(['path', 'file_text'], writeTool('path', 'file_text')),
    Edit: only(['path', 'old_str', 'new_str'], editTool(FIELDS)),
    [PATCH_TEXT]: patch,
    Glob: only(['pattern', 'paths', 'path'], search('pattern', searchTool)),
    Grep: only(SEARCH_FIELDS, search('glob', grepTool)),
    WebFetch: fetchPage,
    web_fetch: fetchPage,
  },
  denied: {
    write_bash: 'it types into a running program past the gate; use bash',
    lsp: 'it starts language servers, which run code of the project',
    extensions_manage: 'it changes which programs Copilot starts by itself',
    extensions_reload: 'it starts programs past the gate',
  },
  ungated: [
    ...[
      'read_bash',
      'stop_bash',
      'list_bash',
      'Agent',
      'Task',
      'read_agent',
      'list_agents',
      'write_agent',
      'Skill',
      'skill',
    ],
    ...['sql', 'session_store_sql', 'fetch_copilot_cli_documentation', 'report_intent', 'task_complete'],
    ...['AskUserQuestion', 'ask_user', 'exit_plan_mode', 'ExitPlanMode', 'TodoWrite'],
    ...['WebSearch', 'web_search'],
  ],
  /** The name of a tool of an MCP server is `SERVER-TOOL`. No tool of Copilot itself has a dash in its name. */
  isOfServer: (tool) => /^[A-Za-z0-9_.]+-\S+$/.test(tool),
};
