/** The tools of Qwen Code, with the inputs seen in 0.24.4. */
import { editTool, fetchTool, grepTool, opaqueEditTool, readTool, searchTool, writeTool } from '../file-tools.ts';
import type { HarnessTools } from '../harness-tools.ts';
import { shellCall } from '../tool-call.ts';

const FIELDS = { path: 'file_path', oldText: 'old_string', newText: 'new_string', all: 'replace_all' };

export const qwenTools: HarnessTools = {
  tools: {
    run_shell_command: (input) => shellCall(input, 'command'),
    read_file: readTool('file_path'),
    write_file: writeTool('file_path', 'content'),
    edit: editTool(FIELDS),
    notebook_edit: opaqueEditTool('notebook_path'),
    glob: searchTool('path', 'pattern'),
    grep_search: grepTool('path', 'glob'),
    list_directory: searchTool('path'),
    zoom_image: readTool('file_path'),
    web_fetch: fetchTool('url'),
  },
  denied: {
    exec: 'it runs code past the gate; use run_shell_command',
    monitor: 'it runs a command past the gate; use run_shell_command',
    workflow: 'it runs a script that the gate cannot read; use run_shell_command',
    cron_create: 'it starts work later; use run_shell_command',
    lsp: 'it starts language servers, which run code of the project',
  },
  ungated: [
    ...['agent', 'todo_write', 'save_memory', 'skill', 'exit_plan_mode', 'enter_plan_mode', 'web_search'],
    ...['ask_user_question', 'cron_list', 'cron_delete', 'list_agents', 'task_stop', 'task_create', 'task_update'],
    ...[
      'task_list',
      'team_create',
      'team_delete',
      'send_message',
      'structured_output',
      'tool_search',
      'read_mcp_resource',
    ],
    ...['report_findings', 'get_goal', 'update_goal', 'propose_goal', 'loop_wakeup'],
  ],
  isOfServer: (tool) => tool.startsWith('mcp__'),
};
