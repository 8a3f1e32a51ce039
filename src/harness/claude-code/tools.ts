/** The tools of Claude Code. The inputs of the tools were seen in 2.1.330. The hook gets the input as the model has written it. */
import {
  editTool,
  fetchTool,
  grepTool,
  multiEditTool,
  opaqueEditTool,
  readTool,
  searchTool,
  writeTool,
} from '../file-tools.ts';
import type { HarnessTools } from '../harness-tools.ts';
import { shellCall } from '../tool-call.ts';

const FIELDS = { path: 'file_path', oldText: 'old_string', newText: 'new_string', all: 'replace_all' };

export const claudeCodeTools: HarnessTools = {
  tools: {
    Bash: (input) => shellCall(input, 'command'),
    Monitor: (input) => shellCall(input, 'command'),
    Read: readTool('file_path'),
    Write: writeTool('file_path', 'content'),
    Edit: editTool(FIELDS),
    MultiEdit: multiEditTool(FIELDS),
    NotebookEdit: opaqueEditTool('notebook_path'),
    Glob: searchTool('path', 'pattern'),
    Grep: grepTool('path', 'glob'),
    WebFetch: fetchTool('url'),
  },
  denied: {
    PowerShell: 'it runs programs past the gate; use Bash',
    REPL: 'it runs code past the gate; use Bash',
    Workflow: 'it runs a script that the gate cannot read; use Bash',
    RemoteTrigger: 'it starts work elsewhere; use Bash',
    CronCreate: 'it starts work later; use Bash',
    LSP: 'it starts language servers, which run code of the project',
  },
  ungated: [
    ...['Agent', 'Task', 'TaskCreate', 'TaskGet', 'TaskList', 'TaskUpdate', 'TaskOutput', 'TaskStop', 'ListAgents'],
    ...[
      'BashOutput',
      'KillShell',
      'KillBash',
      'AskUserQuestion',
      'EnterPlanMode',
      'ExitPlanMode',
      'TodoWrite',
      'Skill',
    ],
    ...['SlashCommand', 'ToolSearch', 'WebSearch', 'ReportFindings', 'ScheduleWakeup', 'SendMessage', 'Sleep'],
    ...['SendUserMessage', 'ListMcpResourcesTool', 'ReadMcpResourceTool', 'StructuredOutput', 'CronList', 'CronDelete'],
    ...['DeferredToolPlaceholder', 'EnterWorktree', 'ExitWorktree'],
  ],
  isOfServer: (tool) => tool.startsWith('mcp__'),
};
