/**
 * The event that GitHub Copilot CLI sends before a tool, and the answers it takes (seen in 1.0.102). For a hook of the event
 * `PreToolUse` it sends the fields and tool names of Claude Code; for `preToolUse` it would send its own, without the event's name.
 */
import type { HookProtocol } from '../dialect.ts';
import { isObject, type JsonObject, textIn } from '../tool-call.ts';

/**
 * Our name for the patch tool, whose input is a text: Copilot calls it `Edit`, as it calls another tool. No tool of
 * Copilot has a blank in its name.
 */
export const PATCH_TEXT = 'Edit (patch)';

const answer = (object: JsonObject): string => `${JSON.stringify(object)}\n`;

export const copilotDialect: HookProtocol = {
  read: (event) => {
    const tool = textIn(event, 'tool_name');
    if (event['hook_event_name'] !== 'PreToolUse' || tool === null) return null;
    const given = event['tool_input'];
    const at = { cwd: textIn(event, 'cwd'), project: null };
    // Copilot has no tool with our name for the patch tool.
    if (isObject(given)) return { tool: tool === PATCH_TEXT ? '' : tool, input: given, ...at };
    if (typeof given !== 'string' || tool !== 'Edit') return null;
    return { tool: PATCH_TEXT, input: { patch: given }, ...at };
  },
  pass: (isOurs) => answer(isOurs ? { permissionDecision: 'allow' } : {}),
  replace: (input) => answer({ permissionDecision: 'allow', modifiedArgs: input }),
  deny: (reason) => answer({ permissionDecision: 'deny', permissionDecisionReason: reason }),
  isDenial: (given) =>
    given['permissionDecision'] === 'deny' && (textIn(given, 'permissionDecisionReason') ?? '') !== '',
};
