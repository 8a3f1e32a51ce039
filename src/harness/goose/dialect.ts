/** The event that Goose sends before a tool, and the answers that Goose accepts. Source: Goose's code. A hook cannot replace an input. */
import { answerLine, type HookProtocol, isDenialWith } from '../dialect.ts';
import { isObject, textIn } from '../tool-call.ts';

export const gooseDialect: HookProtocol = {
  read: (event) => {
    const tool = textIn(event, 'tool_name');
    const input = event['tool_input'];
    if (event['event'] !== 'PreToolUse' || tool === null || !isObject(input)) return null;
    return { tool, input, cwd: textIn(event, 'working_dir'), project: null };
  },
  pass: () => answerLine({ decision: 'allow' }),
  replace: null,
  deny: (reason) => answerLine({ decision: 'block', reason }),
  isDenial: isDenialWith('decision', 'block', 'reason'),
};
