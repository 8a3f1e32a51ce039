/**
 * The dialects: the event that a harness sends before a tool, and our answers to it. Each answer was seen to be obeyed.
 */
import { isObject, type JsonObject, textIn } from './tool-call.ts';

/**
 * @property cwd     the working directory; null if the event does not name it
 * @property project the directory of the session; null if the event does not name it
 */
export interface HookEvent {
  readonly tool: string;
  readonly input: JsonObject;
  readonly cwd: string | null;
  readonly project: string | null;
}

/**
 * @property read    returns null for anything that is not the event before a tool
 * @property pass    the answer that lets the tool run with this input; `isOurs`: a grant covers it, or it is our own call
 * @property replace the answer that makes the tool run with this other input; null if the harness was seen to ignore it
 */
export interface HookProtocol {
  readonly read: (event: JsonObject) => HookEvent | null;
  readonly pass: (isOurs: boolean, input: JsonObject) => string;
  readonly replace: ((input: JsonObject) => string) | null;
  readonly deny: (reason: string) => string;
  /** Whether this is an answer that `deny` makes, with a reason in it. */
  readonly isDenial: (answer: JsonObject) => boolean;
}

const line = (answer: JsonObject): string => `${JSON.stringify(answer)}\n`;

function readAs(name: string, event: JsonObject): HookEvent | null {
  const tool = textIn(event, 'tool_name');
  const input = event['tool_input'];
  if (event['hook_event_name'] !== name || tool === null || !isObject(input)) return null;
  return { tool, input, cwd: textIn(event, 'cwd'), project: null };
}

const preToolUse = (decision: JsonObject): string =>
  line({ hookSpecificOutput: { hookEventName: 'PreToolUse', ...decision } });

const preToolUseDeny = (reason: string): string =>
  preToolUse({ permissionDecision: 'deny', permissionDecisionReason: reason });

/**
 * `allow` only if the gate has decided: Claude Code would otherwise ask the person a second time for the same call.
 */
export const claudeDialect: HookProtocol = {
  read: (event) => readAs('PreToolUse', event),
  pass: (isOurs) => (isOurs ? preToolUse({ permissionDecision: 'allow' }) : line({})),
  replace: (input) => preToolUse({ permissionDecision: 'allow', updatedInput: input }),
  deny: preToolUseDeny,
  isDenial: ({ hookSpecificOutput: inner }) =>
    isObject(inner) &&
    inner['permissionDecision'] === 'deny' &&
    (textIn(inner, 'permissionDecisionReason') ?? '') !== '',
};

const isPlainDenial = (answer: JsonObject): boolean =>
  answer['decision'] === 'deny' && (textIn(answer, 'reason') ?? '') !== '';

/**
 * To Codex `allow` without a replaced input is an error, and an error lets the tool run. So `pass` is an empty object.
 */
export const codexDialect: HookProtocol = { ...claudeDialect, pass: () => line({}) };

export const qwenDialect: HookProtocol = { ...claudeDialect, pass: () => line({}), replace: null };

const beforeTool = (input: JsonObject): string =>
  line({ hookSpecificOutput: { hookEventName: 'BeforeTool', tool_input: input } });

/**
 * Hooks run side by side, and the input of the last one counts. So `pass` repeats the judged input: else the input of another
 * hook could run.
 */
export const geminiDialect: HookProtocol = {
  read: (event) => readAs('BeforeTool', event),
  pass: (_, input) => beforeTool(input),
  replace: beforeTool,
  deny: (reason) => line({ decision: 'deny', reason }),
  isDenial: isPlainDenial,
};

/** For our own plugins, and for every harness that speaks the protocol of `generic/tools.ts`. */
export const plainDialect: HookProtocol = {
  read: (event) => {
    const tool = textIn(event, 'tool');
    const input = event['input'];
    if (tool === null || !isObject(input)) return null;
    return { tool, input, cwd: textIn(event, 'cwd'), project: textIn(event, 'project') };
  },
  pass: () => line({ decision: 'allow' }),
  replace: (input) => line({ decision: 'allow', input }),
  deny: (reason) => line({ decision: 'deny', reason }),
  isDenial: isPlainDenial,
};
