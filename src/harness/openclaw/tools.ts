/** openclaw: what our plugin sends of `before_tool_call` (Gateway only). Shapes seen in 2026.9.6. */
import { editTool, fetchTool, multiEditTool, readTool, writeTool } from '../file-tools.ts';
import type { HarnessTools } from '../harness-tools.ts';
import { operationsInPatch } from '../patch.ts';
import { denied, type JsonObject, shellCall, type ToolCall, textIn, ungated } from '../tool-call.ts';

const FIELDS = { path: 'path', oldText: 'oldText', newText: 'newText', all: 'all' };

const LOOKING_ON: ReadonlySet<string> = new Set(['list', 'poll', 'log', 'kill', 'clear', 'remove']);

/** Keys for a running program are not commands: an approved interactive program would be a shell without a gate. */
function processTool(input: JsonObject): ToolCall | null {
  const action = textIn(input, 'action');
  if (action === null) return null;
  if (LOOKING_ON.has(action)) return ungated('it looks at a process, or ends it');
  return denied(`process ${action.slice(0, 40)} is not available: it types into a running program past the gate`);
}

function patch(input: JsonObject): ToolCall | null {
  const text = textIn(input, 'input');
  const operations = text === null ? null : operationsInPatch(text);
  return operations === null ? null : { kind: 'files', operations };
}

export const openclawTools: HarnessTools = {
  tools: {
    exec: (input) => shellCall(input, 'command'),
    process: processTool,
    read: readTool('path'),
    write: writeTool('path', 'content'),
    edit: (input) => (Object.hasOwn(input, 'edits') ? multiEditTool(FIELDS) : editTool(FIELDS))(input),
    apply_patch: patch,
    web_fetch: fetchTool('url'),
  },
  denied: {
    code_execution: 'it runs code past the gate; use exec',
    code_mode: 'it runs code past the gate; use exec',
    cron: 'it starts work later; use exec',
    nodes: 'it runs commands on other machines',
  },
  ungated: [],
  /** Its tools come from plugins under any name; what is not in the tables above is not gated, and docs/harnesses.md says so. */
  isForeign: () => true,
};
