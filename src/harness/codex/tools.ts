/** The tools of Codex CLI, with the inputs seen in 0.169.0. Codex names its shell tool `exec_command`, but `Bash` in the hook event. */
import { readTool } from '../file-tools.ts';
import type { HarnessTools } from '../harness-tools.ts';
import { operationsInPatch, patchInCommand } from '../patch.ts';
import { denied, type JsonObject, shellCall, type ToolCall, textIn } from '../tool-call.ts';

/**
 * Reads a call of the shell tool. A command `apply_patch <<'EOF' …` never reaches bash, because Codex applies the patch itself. A relative
 * path in such a patch is denied. The hook does not get the `workdir` of the call, so the approver could be shown the wrong file.
 */
function bash(input: JsonObject): ToolCall | null {
  const patch = patchInCommand(textIn(input, 'command') ?? '');
  if (patch === null) return shellCall(input, 'command');
  const call = patchCall(patch);
  if (call?.kind !== 'files' || call.operations.every(({ path }) => path.startsWith('/'))) return call;
  return denied(
    'write absolute paths into the patch: Codex does not tell the gate from which directory relative paths start',
  );
}

function patchCall(patch: string | null): ToolCall | null {
  const operations = patch === null ? null : operationsInPatch(patch);
  return operations === null ? null : { kind: 'files', operations };
}

export const codexTools: HarnessTools = {
  tools: {
    Bash: bash,
    apply_patch: (input) => patchCall(textIn(input, 'command') ?? textIn(input, 'input')),
    view_image: readTool('path'),
  },
  denied: { exec: 'it runs code past the gate', js_repl: 'it runs code past the gate' },
  ungated: [
    ...[
      'update_plan',
      'request_user_input',
      'get_goal',
      'create_goal',
      'update_goal',
      'web_search',
      'tool_search',
      'sleep',
    ],
    ...[
      'spawn_agent',
      'send_input',
      'send_message',
      'wait',
      'wait_agent',
      'close_agent',
      'resume_agent',
      'list_agents',
    ],
    ...['list_mcp_resources', 'list_mcp_resource_templates', 'read_mcp_resource', 'image_generation'],
  ],
  isOfServer: (tool) => tool.startsWith('mcp__'),
};
