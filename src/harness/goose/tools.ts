/** The tools of Goose, according to its source code: the developer extension's tools, each with and without the prefix `developer__`. */
import { pathTool } from '../documented-tools.ts';
import { type ReadTool, searchTool, writeTool } from '../file-tools.ts';
import type { HarnessTools } from '../harness-tools.ts';
import { shellCall } from '../tool-call.ts';

const DEVELOPER: Readonly<Record<string, ReadTool>> = {
  shell: (input) => shellCall(input, 'command'),
  write: writeTool('path', 'content'),
  edit: pathTool('edit', 'path'),
  tree: searchTool('path'),
};

const prefixed = Object.fromEntries(Object.entries(DEVELOPER).map(([name, read]) => [`developer__${name}`, read]));

/**
 * Matches tools of extensions that come with Goose. Some of these tools run code, drive the computer or start other agents. No tool of
 * these extensions may count as a tool of an MCP server (`isOfServer`), because the hook does not gate tools of MCP servers.
 */
const OWN_EXTENSIONS =
  /^(developer|computercontroller|code_execution|extensionmanager|summon|orchestrator|autovisualiser|tutorial|memory)__/;

export const gooseTools: HarnessTools = {
  tools: { ...DEVELOPER, ...prefixed },
  denied: {
    subagent: 'it is not known whether a hook sees the calls of its agents',
    delegate: 'it is not known whether a hook sees the calls of its agents',
  },
  ungated: ['todo__todo_write', 'todo_write'],
  isOfServer: (tool) => /^[^_].*__./.test(tool) && !OWN_EXTENSIONS.test(tool),
};
