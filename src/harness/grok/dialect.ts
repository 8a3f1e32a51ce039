/**
 * The event that Grok Build sends before a tool call, and the answers that Grok Build accepts. Source: the documentation of Grok Build. The
 * event has the members of Claude Code's event, with a different spelling.
 */
import { answerLine, type HookProtocol, isPlainDenial } from '../dialect.ts';
import { isObject, textIn } from '../tool-call.ts';

export const grokDialect: HookProtocol = {
  read: (event) => {
    const tool = textIn(event, 'toolName');
    const input = event['toolInput'];
    if (event['hookEventName'] !== 'pre_tool_use' || tool === null || !isObject(input)) return null;
    // A truncated event contains only a part of the input, but the tool would run with the whole input.
    if ((event['toolInputTruncated'] ?? false) !== false) return null;
    return { tool, input, cwd: textIn(event, 'cwd'), project: textIn(event, 'workspaceRoot') };
  },
  pass: (isOurs) => answerLine(isOurs ? { decision: 'allow' } : {}),
  replace: null,
  deny: (reason) => answerLine({ decision: 'deny', reason }),
  isDenial: isPlainDenial,
};
