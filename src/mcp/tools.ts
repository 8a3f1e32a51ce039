/** The tools that a client can call. The model reads the descriptions of the tools. */
import { faultAnswer } from './answers.ts';
import { ARGUMENTS, type ToolArguments, unknownArgument } from './arguments.ts';
import type { Conversation, ToolAnswer, Workplace } from './conversation.ts';
import { explainTool } from './explain-tool.ts';
import { grantsRunTool, grantsStatusTool } from './grants-tools.ts';
import { planTool } from './plan-tool.ts';
import { runTool } from './run-tool.ts';

/**
 * @property properties JSON Schema (2020-12) of each argument
 * @property isReadOnly whether the tool runs no command and files no request
 */
export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly properties: Readonly<Record<string, object>>;
  readonly required: readonly string[];
  readonly isReadOnly: boolean;
  readonly call: (workplace: Workplace, given: ToolArguments, talk: Conversation) => Promise<ToolAnswer>;
}

const { id, command, cwd, plan, reason, wait, timeoutSeconds } = ARGUMENTS;

export const TOOLS: readonly Tool[] = [
  {
    name: 'run',
    title: 'Run a command',
    description:
      'Runs a bash command if a grant of a human covers it. Otherwise files a request, does not run the command, and answers with the grant id and a URL: tell the human, then call grants_run with that id. Do not ask again in another form.',
    properties: { command, cwd, reason, wait },
    required: ['command'],
    isReadOnly: false,
    call: runTool,
  },
  {
    name: 'grants_run',
    title: 'Wait for a decision, then run',
    description:
      'Waits for the decision on a request, then runs its command and answers with exit status and output. If it was denied: answers with the reason. If it is not decided in time: call grants_run again.',
    properties: { id, timeoutSeconds },
    required: ['id'],
    isReadOnly: false,
    call: grantsRunTool,
  },
  {
    name: 'grants_status',
    title: 'What became of a request',
    description: 'Reports the state of a request. Runs nothing and waits for nothing; to go on, call grants_run.',
    properties: { id },
    required: ['id'],
    isReadOnly: true,
    call: grantsStatusTool,
  },
  {
    name: 'plan',
    title: 'Ask once for a piece of work',
    description:
      'Files a plan: lines, and kinds of lines, that a human decides on together. Commands that an approved plan covers run at once; any other command needs a grant as always. A plan: {"reason": "…", "for": "2h", "order": false, "parts": [{"line": "npm test", "uses": 5}, {"like": "git add src/a.ts", "as": "operation", "uses": 10}]}.',
    properties: { plan, cwd },
    required: ['plan'],
    isReadOnly: false,
    call: planTool,
  },
  {
    name: 'explain',
    title: 'What would happen to a command',
    description:
      'Reports whether a command would run at once (and by which grants), is forbidden, waits already, or would ask a human. Also reports which variables are bound. Files no request and runs nothing.',
    properties: { command, cwd },
    required: ['command'],
    isReadOnly: true,
    call: explainTool,
  },
];

/** Calls a tool. For an unknown argument, returns a tool answer and no protocol error. So the model can correct the call. */
export async function callTool(
  tool: Tool,
  workplace: Workplace,
  given: ToolArguments,
  talk: Conversation,
): Promise<ToolAnswer> {
  const unknown = unknownArgument(given, Object.keys(tool.properties));
  return unknown === null ? tool.call(workplace, given, talk) : faultAnswer(unknown);
}
