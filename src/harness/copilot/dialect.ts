/**
 * The event that GitHub Copilot CLI sends before a tool, and the answers that it accepts (seen in 1.0.102). Our hook is for the event
 * `PreToolUse`, so Copilot sends the fields and tool names of Claude Code. For a hook on `preToolUse`, Copilot sends its own fields and
 * tool names, and does not send the name of the event.
 */
import { answerLine, type HookProtocol, isPermissionDenial } from '../dialect.ts';
import { isObject, textIn } from '../tool-call.ts';

/**
 * Our name for Copilot's patch tool, whose input is a text. Copilot gives the name `Edit` to this tool and to another tool. No name of a
 * Copilot tool has a blank, so our name has a blank.
 */
export const PATCH_TEXT = 'Edit (patch)';

export const copilotDialect: HookProtocol = {
  read: (event) => {
    const tool = textIn(event, 'tool_name');
    if (event['hook_event_name'] !== 'PreToolUse' || tool === null) return null;
    const given = event['tool_input'];
    const at = { cwd: textIn(event, 'cwd'), project: null };
    // Copilot itself never sends our name of the patch tool. The empty name means an unknown tool.
    if (isObject(given)) return { tool: tool === PATCH_TEXT ? '' : tool, input: given, ...at };
    if (typeof given !== 'string' || tool !== 'Edit') return null;
    return { tool: PATCH_TEXT, input: { patch: given }, ...at };
  },
  pass: (isOurs) => answerLine(isOurs ? { permissionDecision: 'allow' } : {}),
  replace: (input) => answerLine({ permissionDecision: 'allow', modifiedArgs: input }),
  deny: (reason) => answerLine({ permissionDecision: 'deny', permissionDecisionReason: reason }),
  isDenial: isPermissionDenial,
};
