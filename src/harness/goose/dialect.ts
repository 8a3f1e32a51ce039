/** The event that Goose sends before a tool, and the answers that Goose accepts. Source: Goose's code. A hook cannot replace an input. */
import type { HookProtocol } from '../dialect.ts';
import { isObject, type JsonObject, textIn } from '../tool-call.ts';

const line = (answer: JsonObject): string => `${JSON.stringify(answer)}\n`;

export const gooseDialect: HookProtocol = {
  read: (event) => {
    const tool = textIn(event, 'tool_name');
    const input = event['tool_input'];
    if (event['event'] !== 'PreToolUse' || tool === null || !isObject(input)) return null;
    return { tool, input, cwd: textIn(event, 'working_dir'), project: null };
  },
  pass: () => line({ decision: 'allow' }),
  replace: null,
  deny: (reason) => line({ decision: 'block', reason }),
  isDenial: (answer) => answer['decision'] === 'block' && (textIn(answer, 'reason') ?? '') !== '',
};
