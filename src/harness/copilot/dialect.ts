/**
 * How GitHub Copilot CLI asks before a tool and takes an answer (seen in 1.0.102). Under the event name `PreToolUse` it sends the
 * fields and tool names of Claude Code; under `preToolUse` it would send its own, without the name of the event.
 */
import type { HookProtocol } from '../dialect.ts';
import { isObject, type JsonObject, textIn } from '../tool-call.ts';

/** Its patches are free text in the place of an input, and their tool is called `Edit` as well. No tool of its own has a blank in its name. */
export const PATCH_TEXT = 'Edit (patch)';

const answer = (object: JsonObject): string => `${JSON.stringify(object)}\n`;

export const copilotDialect: HookProtocol = {
  read: (event) => {
    const tool = textIn(event, 'tool_name');
    if (event['hook_event_name'] !== 'PreToolUse' || tool === null) return null;
    const given = event['tool_input'];
    const at = { cwd: textIn(event, 'cwd'), project: null };
    // Our own name for a patch is none of Copilot's.
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
