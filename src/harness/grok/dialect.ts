/**
 * The event that Grok Build sends before a tool, and the answers it takes, by its documentation: Claude Code's members,
 * spelt in another way.
 */
import type { HookProtocol } from '../dialect.ts';
import { isObject, type JsonObject, textIn } from '../tool-call.ts';

const line = (answer: JsonObject): string => `${JSON.stringify(answer)}\n`;

export const grokDialect: HookProtocol = {
  read: (event) => {
    const tool = textIn(event, 'toolName');
    const input = event['toolInput'];
    if (event['hookEventName'] !== 'pre_tool_use' || tool === null || !isObject(input)) return null;
    // The tool would run with the whole input, of which the event shows only a part.
    if ((event['toolInputTruncated'] ?? false) !== false) return null;
    return { tool, input, cwd: textIn(event, 'cwd'), project: textIn(event, 'workspaceRoot') };
  },
  pass: (isOurs) => line(isOurs ? { decision: 'allow' } : {}),
  replace: null,
  deny: (reason) => line({ decision: 'deny', reason }),
  isDenial: (answer) => answer['decision'] === 'deny' && (textIn(answer, 'reason') ?? '') !== '',
};
