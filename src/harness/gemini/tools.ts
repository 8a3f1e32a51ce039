/** The tools of Gemini CLI, with the inputs seen in 0.61.0. */
import { isAbsolute } from 'node:path';
import {
  editTool,
  fetchInTextTool,
  grepTool,
  type ReadTool,
  readManyTool,
  readTool,
  searchTool,
  writeTool,
} from '../file-tools.ts';
import type { HarnessTools } from '../harness-tools.ts';
import { denied, shellCall, textIn } from '../tool-call.ts';

const FIELDS = { path: 'file_path', oldText: 'old_string', newText: 'new_string', all: 'allow_multiple' };

const edit = editTool(FIELDS);

/**
 * Reads a call of `replace`. If there is no file at a relative path, Gemini CLI edits another file with the same name, anywhere in its
 * directories. If the path is absolute, Gemini CLI does not search for another file.
 */
const replace: ReadTool = (input) =>
  isAbsolute(textIn(input, FIELDS.path) ?? '/')
    ? edit(input)
    : denied(
        'write file_path as an absolute path: for a relative path, Gemini CLI can edit another file of the same name',
      );

export const geminiTools: HarnessTools = {
  tools: {
    run_shell_command: (input) => shellCall(input, 'command'),
    read_file: readTool('file_path'),
    read_many_files: readManyTool('include'),
    write_file: writeTool('file_path', 'content'),
    replace,
    glob: searchTool('dir_path', 'pattern'),
    grep_search: grepTool('dir_path', 'include_pattern'),
    list_directory: searchTool('dir_path'),
    web_fetch: fetchInTextTool('prompt', 'url'),
  },
  denied: {},
  ungated: [
    ...['update_topic', 'google_web_search', 'list_background_processes', 'read_background_output'],
    ...[
      'write_todos',
      'enter_plan_mode',
      'exit_plan_mode',
      'invoke_agent',
      'activate_skill',
      'ask_user',
      'complete_task',
    ],
    ...['get_internal_docs', 'read_mcp_resource', 'list_mcp_resources', 'tracker_create_task', 'tracker_update_task'],
    ...['tracker_get_task', 'tracker_list_tasks', 'tracker_add_dependency', 'tracker_visualize'],
  ],
  isOfServer: (tool) => tool.startsWith('mcp_'),
};
