/**
 * The tools of opencode. Our plugin gets the calls of these tools in the event `tool.execute.before`. The inputs were seen in opencode
 * 1.18.33.
 */
import { editTool, fetchTool, grepTool, readTool, searchTool, writeTool } from '../file-tools.ts';
import type { HarnessTools } from '../harness-tools.ts';
import { operationsInPatch } from '../patch.ts';
import { type JsonObject, shellCall, type ToolCall, textIn } from '../tool-call.ts';

const FIELDS = { path: 'filePath', oldText: 'oldString', newText: 'newString', all: 'replaceAll' };

function patch(input: JsonObject): ToolCall | null {
  const text = textIn(input, 'patchText');
  const operations = text === null ? null : operationsInPatch(text);
  return operations === null ? null : { kind: 'files', operations };
}

export const opencodeTools: HarnessTools = {
  tools: {
    bash: (input) => shellCall(input, 'command'),
    read: readTool('filePath'),
    write: writeTool('filePath', 'content'),
    edit: editTool(FIELDS),
    apply_patch: patch,
    patch,
    glob: searchTool('path', 'pattern'),
    grep: grepTool('path', 'include'),
    list: searchTool('path'),
    webfetch: fetchTool('url'),
  },
  denied: { lsp: 'it starts language servers, which run code of the project', execute: 'it runs code past the gate' },
  ungated: ['skill', 'task', 'todowrite', 'todoread', 'websearch', 'codesearch', 'question', 'invalid', 'plan_exit'],
  isOfServer,
};

/**
 * Whether a tool belongs to an MCP server. opencode names such a tool `SERVER_TOOL`, for example `github_search`. Our plugin puts the
 * names of the servers into the event.
 */
function isOfServer(tool: string, event: JsonObject): boolean {
  const servers = event['servers'];
  if (!Array.isArray(servers)) return false;
  return servers.some(
    (name) => typeof name === 'string' && tool.startsWith(`${name.replace(/[^A-Za-z0-9_-]/g, '_')}_`),
  );
}
