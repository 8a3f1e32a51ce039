/**
 * The event that Hermes Agent sends to a shell hook before a tool call, and the hook's answers that Hermes accepts. Source: the
 * documentation of Hermes. We have not seen Hermes run a replaced input, so we do not replace an input.
 */
import { answerLine, type HookProtocol, isDenialWith, readAs } from '../dialect.ts';

export const hermesDialect: HookProtocol = {
  read: (event) => readAs('pre_tool_call', event),
  pass: () => answerLine({}),
  replace: null,
  deny: (reason) => answerLine({ action: 'block', message: reason }),
  isDenial: isDenialWith('action', 'block', 'message'),
};
