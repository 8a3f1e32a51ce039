/** How a harness asks before a tool, and how it wants to be answered: only answers that were seen to hold. */
import { isObject, type JsonObject, textIn } from './tool-call.ts';

/**
 * @property cwd     as the harness says; null where it does not
 * @property project the session's own directory, where the harness says it
 */
export interface HookEvent {
  readonly tool: string;
  readonly input: JsonObject;
  readonly cwd: string | null;
  readonly project: string | null;
}

/**
 * @property read    null for anything that is not the event before a tool
 * @property pass    the tool may run with this input; `isOurs` where a grant or our own call stands behind it
 * @property replace the tool runs with this input; null where the harness was seen to ignore it
 */
export interface HookProtocol {
  readonly read: (event: JsonObject) => HookEvent | null;
  readonly pass: (isOurs: boolean, input: JsonObject) => string;
  readonly replace: ((input: JsonObject) => string) | null;
  readonly deny: (reason: string) => string;
  /** Whether an answer is one of `deny`'s, with a reason in it. */
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

/** `allow` where the gate stands behind it: a second question for the same call would be one too many. */
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

/** To Codex, `allow` without another input is an error, and an error lets the tool run: an empty object says nothing. */
export const codexDialect: HookProtocol = { ...claudeDialect, pass: () => line({}) };

export const qwenDialect: HookProtocol = { ...claudeDialect, pass: () => line({}), replace: null };

const beforeTool = (input: JsonObject): string =>
  line({ hookSpecificOutput: { hookEventName: 'BeforeTool', tool_input: input } });

/** Hooks run side by side, and the last one's input counts: what was judged is said again, or another hook's would run. */
export const geminiDialect: HookProtocol = {
  read: (event) => readAs('BeforeTool', event),
  pass: (_, input) => beforeTool(input),
  replace: beforeTool,
  deny: (reason) => line({ decision: 'deny', reason }),
  isDenial: isPlainDenial,
};

/** Our own plugins, and whatever else speaks the protocol of `generic.ts`. */
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
