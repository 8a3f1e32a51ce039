/** How Cline asks a hook file before a tool, and how it wants to be answered. Seen in 3.0.65. */
import type { HookProtocol } from '../dialect.ts';
import { isObject, type JsonObject, textIn } from '../tool-call.ts';

const line = (answer: JsonObject): string => `${JSON.stringify(answer)}\n`;

/**
 * The hook runs in the directory of the session, and the event does not name it. `cancel` ends the agent's turn; its reason is
 * shown to the person. Whatever is answered here passes `clineLine`, which knows these three forms and no other.
 */
export const clineDialect: HookProtocol = {
  read: (event) => {
    const call = event['tool_call'];
    if (event['hookName'] !== 'tool_call' || !isObject(call)) return null;
    const tool = textIn(call, 'name');
    const input = call['input'];
    if (tool === null || !isObject(input)) return null;
    const roots = event['workspaceRoots'];
    const root: unknown = Array.isArray(roots) ? roots[0] : null;
    return { tool, input, cwd: null, project: typeof root === 'string' ? root : null };
  },
  pass: () => line({}),
  replace: (input) => line({ overrideInput: input }),
  deny: (reason) => line({ cancel: true, errorMessage: reason }),
  isDenial: (answer) => answer['cancel'] === true && (textIn(answer, 'errorMessage') ?? '') !== '',
};
