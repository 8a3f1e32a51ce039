/**
 * The two events that Cursor sends before a tool, and our answers to them. Source: the documentation of Cursor. `replace` is null, because
 * we have not seen Cursor run a replaced input.
 */
import { answerLine, type HookEvent, type HookProtocol, isDenialWith } from '../dialect.ts';
import { isObject, type JsonObject, textIn } from '../tool-call.ts';

function read(event: JsonObject): HookEvent | null {
  const roots = event['workspace_roots'];
  const root: unknown = Array.isArray(roots) ? roots[0] : null;
  const places = { cwd: textIn(event, 'cwd'), project: typeof root === 'string' ? root : null };
  if (event['hook_event_name'] === 'beforeShellExecution') {
    const command = textIn(event, 'command');
    return command === null ? null : { tool: 'Shell', input: { command }, ...places };
  }
  const tool = textIn(event, 'tool_name');
  const input = event['tool_input'];
  if (event['hook_event_name'] !== 'preToolUse' || tool === null || !isObject(input)) return null;
  return { tool, input, ...places };
}

export const cursorDialect: HookProtocol = {
  read,
  pass: (isOurs) => answerLine(isOurs ? { permission: 'allow' } : {}),
  replace: null,
  deny: (reason) => answerLine({ permission: 'deny', user_message: reason, agent_message: reason }),
  isDenial: isDenialWith('permission', 'deny', 'agent_message'),
};
