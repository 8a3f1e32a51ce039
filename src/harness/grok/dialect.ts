/** How Grok Build asks before a tool, by its documentation. Its words are Claude Code's in another spelling. */
import type { HookProtocol } from '../dialect.ts';
import { isObject, type JsonObject, textIn } from '../tool-call.ts';

const line = (answer: JsonObject): string => `${JSON.stringify(answer)}\n`;

export const grokDialect: HookProtocol = {
  read: (event) => {
    const tool = textIn(event, 'toolName');
    const input = event['toolInput'];
    if (event['hookEventName'] !== 'pre_tool_use' || tool === null || !isObject(input)) return null;
    // What was cut off would run all the same.
    if ((event['toolInputTruncated'] ?? false) !== false) return null;
    return { tool, input, cwd: textIn(event, 'cwd'), project: textIn(event, 'workspaceRoot') };
  },
  pass: (isOurs) => line(isOurs ? { decision: 'allow' } : {}),
  replace: null,
  deny: (reason) => line({ decision: 'deny', reason }),
  isDenial: (answer) => answer['decision'] === 'deny' && (textIn(answer, 'reason') ?? '') !== '',
};
