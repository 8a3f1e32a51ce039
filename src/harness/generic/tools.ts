/**
 * The protocol for a harness that the gate does not know. `hook-guard generic` gets `{"tool", "input", "cwd", "project"?}` on standard
 * input. `hook-guard` answers `{"decision":"allow"}`, `{"decision":"allow","input":{…}}` (the tool has to run with this input instead) or
 * `{"decision":"deny","reason":"…"}`. If `hook-guard` ends in any other way, the harness has to deny the call.
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
