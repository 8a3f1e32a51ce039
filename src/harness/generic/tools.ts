/**
 * The protocol for any other harness: `hook-guard generic` gets `{"tool", "input", "cwd", "project"?}` on standard input and
 * answers `{"decision":"allow"}`, `{"decision":"allow","input":{…}}` (run the tool with this input instead) or
 * `{"decision":"deny","reason":"…"}`; or it ends with a status that is not 0 and a text on standard error: denied as well.
 */
import { editTool, fetchTool, readTool, searchTool, writeTool } from '../file-tools.ts';
import type { HarnessTools } from '../harness-tools.ts';
import { operationsInPatch } from '../patch.ts';
import { shellCall, textIn } from '../tool-call.ts';

export const genericTools: HarnessTools = {
  tools: {
    shell: (input) => shellCall(input, 'command'),
    read: readTool('path'),
    search: searchTool('path'),
    write: writeTool('path', 'content'),
    edit: editTool({ path: 'path', oldText: 'old', newText: 'new', all: 'all' }),
    fetch: fetchTool('url'),
    delete: (input) => {
      const path = textIn(input, 'path');
      return path === null ? null : { kind: 'files', operations: [{ verb: 'delete', path }] };
    },
    patch: (input) => {
      const operations = operationsInPatch(textIn(input, 'patch') ?? '');
      return operations === null ? null : { kind: 'files', operations };
    },
  },
  denied: {},
  ungated: [],
  isOfServer: () => false,
};
