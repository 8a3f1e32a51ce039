/**
 * The event that Grok Build sends before a tool call, and the answers that Grok Build accepts. Source: the documentation of Grok Build. The
 * event has the members of Claude Code's event, with a different spelling.
 */
import type { HookProtocol } from '../dialect.ts';
import { isObject, type JsonObject, textIn } from '../tool-call.ts';

const line = (answer: JsonObject): string => `${JSON.stringify(answer)}\n`;

export const grokDialect: HookProtocol = {
  read: (event) => {
    const tool = textIn(event, 'toolName');
    const input = event['toolInput'];
    if (event['hookEventName'] !== 'pre_tool_use' || tool === null || !isObject(input)) return null;
    // A truncated event contains only a part of the input, but the tool would run with the whole input.
    if ((event['toolInputTruncated'] ?? false) !== false) return null;
    return { tool, input, cwd: textIn(event, 'cwd'), project: textIn(event, 'workspaceRoot') };
  },
  pass: (isOurs) => line(isOurs ? { decision: 'allow' } : {}),
  replace: null,
  deny: (reason) => line({ decision: 'deny', reason }),
  isDenial: (answer) => answer['decision'] === 'deny' && (textIn(answer, 'reason') ?? '') !== '',
};
