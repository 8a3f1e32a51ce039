/**
 * Describes the tools of Hermes Agent, according to its documentation. The gate denies a tool whose effects the gate does not see: effects
 * in another agent, at a later time, or in a running program.
 */
import { pathTool } from '../documented-tools.ts';
import { fetchManyTool, grepTool, readTool, writeTool } from '../file-tools.ts';
import type { HarnessTools } from '../harness-tools.ts';
import { operationsInPatch } from '../patch.ts';
import { type JsonObject, shellCall, type ToolCall, textIn } from '../tool-call.ts';

/** Reads one replacement in a file, or a patch of several files. Returns null if the input has another shape. */
function patch(input: JsonObject): ToolCall | null {
  const text = textIn(input, 'patch');
  if (text === null) return Object.hasOwn(input, 'patch') ? null : pathTool('edit', 'path')(input);
  if (Object.hasOwn(input, 'path')) return null;
  const operations = operationsInPatch(text);
  return operations === null ? null : { kind: 'files', operations };
}

/** Reads a search. `target` says whether the tool searches names or contents. */
function search(input: JsonObject): ToolCall | null {
  const { target = 'content', ...others } = input;
  return target === 'content' || target === 'files' ? grepTool('path', 'file_glob')(others) : null;
}

const NOT_KNOWN = 'it is not known whether a hook sees the calls of the agents that this tool starts';

export const hermesTools: HarnessTools = {
  tools: {
    terminal: (input) => shellCall(input, 'command'),
    read_file: readTool('path'),
    write_file: writeTool('path', 'content'),
    patch,
    search_files: search,
    web_extract: fetchManyTool('urls', (url) => (typeof url === 'string' ? url : null)),
  },
  denied: {
    execute_code: 'it runs code past the gate; use terminal',
    process: 'it types into a running program past the gate; use terminal',
    process_manage: 'it types into a running program past the gate; use terminal',
    delegate_task: NOT_KNOWN,
    mixture_of_agents: NOT_KNOWN,
    cronjob: 'it starts work later; use terminal',
    computer_use: 'it drives the computer past the gate',
    skill_manage: 'it writes files past the gate; use write_file',
  },
  ungated: [...['todo', 'clarify', 'memory', 'session_search', 'skills_list', 'skill_view', 'web_search']],
  isOfServer: (tool) => /^mcp_./.test(tool),
};
