/** The tools of Kimi Code, with the inputs seen in 2.1.0. */
import { editTool, fetchTool, grepTool, opaqueEditTool, readTool, searchTool, writeTool } from '../file-tools.ts';
import type { HarnessTools } from '../harness-tools.ts';
import { type JsonObject, shellCall, type ToolCall, textIn } from '../tool-call.ts';

const FIELDS = { path: 'path', oldText: 'old_string', newText: 'new_string', all: 'replace_all' };

/** Reads a call of `Write`. With mode `append`, the call counts as an edit: such a call does not contain the whole new text. */
function write(input: JsonObject): ToolCall | null {
  const { mode = 'overwrite', ...others } = input;
  if (mode === 'overwrite' || mode === null) return writeTool('path', 'content')(others);
  return mode === 'append' && textIn(input, 'content') !== null ? opaqueEditTool('path')(input) : null;
}

export const kimiTools: HarnessTools = {
  tools: {
    Bash: (input) => shellCall(input, 'command'),
    Read: readTool('path'),
    ReadMediaFile: readTool('path'),
    Write: write,
    Edit: editTool(FIELDS),
    Glob: searchTool('path', 'pattern'),
    Grep: grepTool('path', 'glob'),
    FetchURL: fetchTool('url'),
  },
  denied: { CronCreate: 'it starts work later; use Bash' },
  ungated: [
    ...['Agent', 'AgentSwarm', 'AskUserQuestion', 'Skill', 'TodoList', 'EnterPlanMode', 'ExitPlanMode', 'WebSearch'],
    ...['TaskList', 'TaskOutput', 'TaskStop', 'WaitFor', 'CronList', 'CronDelete'],
    ...['CreateGoal', 'GetGoal', 'UpdateGoal', 'SetGoalBudget'],
  ],
  isOfServer: (tool) => tool.startsWith('mcp__'),
};
