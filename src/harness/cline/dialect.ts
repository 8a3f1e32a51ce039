/** The event that Cline sends before a tool call, and the answers that Cline accepts (seen in 3.0.65). */
import { answerLine, type HookProtocol, isDenialWith } from '../dialect.ts';
import { isObject, textIn } from '../tool-call.ts';

/**
 * The event does not name the working directory, but the hook runs in that directory. `cancel` ends the agent's turn, and Cline shows
 * the reason to the person. The shell line that `clineLine` makes accepts only the answers of `pass`, `replace` and `deny`.
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
  pass: () => answerLine({}),
  replace: (input) => answerLine({ overrideInput: input }),
  deny: (reason) => answerLine({ cancel: true, errorMessage: reason }),
  isDenial: isDenialWith('cancel', true, 'errorMessage'),
};
