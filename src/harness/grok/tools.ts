/** The tools of Grok Build, according to its documentation. */
import { pathTool } from '../documented-tools.ts';
import { fetchTool } from '../file-tools.ts';
import type { HarnessTools } from '../harness-tools.ts';
import { shellCall } from '../tool-call.ts';

const FILE = ['file_path', 'target_file', 'path'] as const;
const FOLDER = ['path', 'target_directory', 'directory'] as const;

export const grokTools: HarnessTools = {
  tools: {
    run_terminal_command: (input) => shellCall(input, 'command'),
    read_file: pathTool('read', ...FILE),
    search_replace: pathTool('edit', ...FILE),
    list_dir: pathTool('search', ...FOLDER),
    grep: pathTool('search', ...FOLDER),
    web_fetch: fetchTool('url'),
  },
  denied: {
    monitor: 'it runs a command past the gate; use run_terminal_command',
    workflow: 'it runs a script that the gate cannot read; use run_terminal_command',
    scheduler_create: 'it starts work later; use run_terminal_command',
    lsp: 'it starts language servers, which run code of the project',
    spawn_subagent: 'it is not known whether a hook sees the calls of its agents',
  },
  ungated: ['web_search', 'todo_write', 'ask_user_question', 'enter_plan_mode', 'exit_plan_mode'],
  isOfServer: (tool) => /^[^_].*__./.test(tool),
};
