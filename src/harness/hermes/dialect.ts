/**
 * The event that Hermes Agent sends to a shell hook before a tool call, and the hook's answers that Hermes accepts. Source: the
 * documentation of Hermes. We have not seen Hermes run a replaced input, so we do not replace an input.
 */
import type { HookProtocol } from '../dialect.ts';
import { isObject, type JsonObject, textIn } from '../tool-call.ts';

const line = (answer: JsonObject): string => `${JSON.stringify(answer)}\n`;

export const hermesDialect: HookProtocol = {
  read: (event) => {
    const tool = textIn(event, 'tool_name');
    const input = event['tool_input'];
    if (event['hook_event_name'] !== 'pre_tool_call' || tool === null || !isObject(input)) return null;
    return { tool, input, cwd: textIn(event, 'cwd'), project: null };
  },
  pass: () => line({}),
  replace: null,
  deny: (reason) => line({ action: 'block', message: reason }),
  isDenial: (answer) => answer['action'] === 'block' && (textIn(answer, 'message') ?? '') !== '',
};
