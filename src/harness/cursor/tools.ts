/** The tools that the documentation of Cursor CLI names (Shell, Read, Write, Grep, Delete, Task, `MCP:NAME`). */
import { pathTool } from '../documented-tools.ts';
import type { HarnessTools } from '../harness-tools.ts';
import { shellCall } from '../tool-call.ts';

const PATH = ['file_path', 'path', 'target_file'] as const;

export const cursorTools: HarnessTools = {
  tools: {
    Shell: (input) => shellCall(input, 'command'),
    Read: pathTool('read', ...PATH),
    Write: pathTool('edit', ...PATH),
    Delete: pathTool('delete', ...PATH),
    Grep: pathTool('search', 'path', 'target_directory'),
  },
  denied: {},
  ungated: ['Task'],
  isOfServer: (tool) => tool.startsWith('MCP:'),
};
