/** The tools of Cline CLI, with the inputs seen in 3.0.65. Cline also accepts other inputs. The gate denies a call with such an input. */
import type { WantedOperation } from '../../gate/file-operation.ts';
import { fetchManyTool, searchTool } from '../file-tools.ts';
import type { HarnessTools } from '../harness-tools.ts';
import { hasOther } from '../other-members.ts';
import { isObject, type JsonObject, type ToolCall, textIn } from '../tool-call.ts';

/** Reads a call of the shell tool. Returns null if the input has a second member: Cline would use only one of the members. */
function runCommands(input: JsonObject): ToolCall | null {
  const [name, ...others] = Object.keys(input);
  if (name === undefined || others.length > 0) return null;
  const value = input[name];
  if (['commands', 'command', 'cmd'].includes(name) && typeof value === 'string')
    return { kind: 'shell', command: value, put: (command) => ({ [name]: command }) };
  if (name !== 'commands' || !Array.isArray(value) || value.length === 0) return null;
  if (!value.every((one) => typeof one === 'string')) return null;
  return { kind: 'shells', commands: value, put: (commands) => ({ commands }) };
}

function readFiles(input: JsonObject): ToolCall | null {
  const { files } = input;
  if (Object.keys(input).length !== 1 || !Array.isArray(files) || files.length === 0) return null;
  const paths = files.map((file: unknown) => (isObject(file) ? textIn(file, 'path') : null));
  if (!paths.every((path) => path !== null)) return null;
  return { kind: 'files', operations: paths.map((path): WantedOperation => ({ verb: 'read', path })) };
}

/**
 * Reads a call of `editor`. With `insert_line`, the tool inserts a text at this line. Without `insert_line`, but with `old_text`, the tool
 * replaces one occurrence of this text. Without both members, the tool writes a new file.
 */
function editor(input: JsonObject): ToolCall | null {
  const path = textIn(input, 'path');
  const text = textIn(input, 'new_text');
  if (path === null || text === null || hasOther(input, 'path', 'new_text', 'old_text', 'insert_line')) return null;
  const edit = (more: object): ToolCall => ({
    kind: 'files',
    operations: [{ verb: 'edit', path, input: JSON.stringify(input), ...more }],
  });
  if ((input['insert_line'] ?? null) !== null) return edit({});
  const old = input['old_text'] ?? null;
  if (old === null) return { kind: 'files', operations: [{ verb: 'write', path, content: text }] };
  return typeof old === 'string'
    ? edit({ replacements: [{ oldText: old, newText: text, isEverywhere: false }] })
    : null;
}

const fetchPages = fetchManyTool('requests', (request) => (isObject(request) ? textIn(request, 'url') : null));

export const clineTools: HarnessTools = {
  tools: {
    run_commands: runCommands,
    read_files: readFiles,
    editor,
    search_codebase: searchTool('path'),
    fetch_web_content: fetchPages,
  },
  denied: {
    apply_patch: 'it is not known how Cline applies a patch; use editor, or run_commands',
    skills: 'a skill can bring commands that no hook sees; read the file of the skill',
  },
  ungated: [
    ...['ask_question', 'submit_and_exit', 'switch_to_act_mode', 'spawn_agent'],
    ...[
      'team_spawn_teammate',
      'team_shutdown_teammate',
      'team_status',
      'team_task',
      'team_run_task',
      'team_cancel_run',
    ],
    ...['team_list_runs', 'team_await_runs', 'team_send_message', 'team_broadcast', 'team_read_mailbox'],
    ...['team_mission_log', 'team_cleanup', 'team_create_outcome', 'team_attach_outcome_fragment'],
    ...['team_review_outcome_fragment', 'team_finalize_outcome', 'team_list_outcomes'],
  ],
  // A tool of an MCP server is `SERVER__TOOL`; any other name is a tool of Cline or of a plugin.
  isOfServer: (tool) => /^[^_].*__./.test(tool),
};
