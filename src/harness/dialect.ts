/**
 * A dialect is the event that a harness sends before it runs a tool, and our answers to this event. In trials, the harnesses that this
 * file names obeyed these answers.
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
 * @property read    reads the event before a tool call; returns null if the object is not this event
 * @property pass    makes the answer that lets the tool run with this input. `isOurs`: a grant covers the call, or our shell gates the
 *                   call. The harness need not ask the user about such a call
 * @property replace makes the answer that lets the tool run with another input; null if no trial showed that the harness uses the other
 *                   input
 * @property deny    makes the answer that denies the call
 */
export interface HookProtocol {
  readonly read: (event: JsonObject) => HookEvent | null;
  readonly pass: (isOurs: boolean, input: JsonObject) => string;
  readonly replace: ((input: JsonObject) => string) | null;
  readonly deny: (reason: string) => string;
  /** Whether this answer is a denial with a reason, in the form of `deny`. */
  readonly isDenial: (answer: JsonObject) => boolean;
}

/** Returns an answer as the line that a harness reads. */
export const answerLine = (answer: JsonObject): string => `${JSON.stringify(answer)}\n`;

/**
 * Makes `isDenial` for a harness whose denial has `word` in the member `key`, and the reason in the member `reasonKey`. A denial with an
 * empty reason does not count.
 */
export const isDenialWith =
  (key: string, word: string | true, reasonKey: string) =>
  (answer: JsonObject): boolean =>
    answer[key] === word && (textIn(answer, reasonKey) ?? '') !== '';

/** Reads an event with the members of Claude Code's event; returns null if the event has another name. */
export function readAs(name: string, event: JsonObject): HookEvent | null {
  const tool = textIn(event, 'tool_name');
  const input = event['tool_input'];
  if (event['hook_event_name'] !== name || tool === null || !isObject(input)) return null;
  return { tool, input, cwd: textIn(event, 'cwd'), project: null };
}

const preToolUse = (decision: JsonObject): string =>
  answerLine({ hookSpecificOutput: { hookEventName: 'PreToolUse', ...decision } });

const preToolUseDeny = (reason: string): string =>
  preToolUse({ permissionDecision: 'deny', permissionDecisionReason: reason });

export const isPermissionDenial = isDenialWith('permissionDecision', 'deny', 'permissionDecisionReason');

/**
 * `pass` says `allow` in two cases: the gate has decided about the call, or our shell will ask the gate. After `allow`, Claude Code does
 * not ask the person a second time.
 */
export const claudeDialect: HookProtocol = {
  read: (event) => readAs('PreToolUse', event),
  pass: (isOurs) => (isOurs ? preToolUse({ permissionDecision: 'allow' }) : answerLine({})),
  replace: (input) => preToolUse({ permissionDecision: 'allow', updatedInput: input }),
  deny: preToolUseDeny,
  isDenial: ({ hookSpecificOutput: inner }) => isObject(inner) && isPermissionDenial(inner),
};

export const isPlainDenial = isDenialWith('decision', 'deny', 'reason');

/**
 * For Codex, `allow` without a replaced input is an error. Codex runs the tool even after an error. To avoid the error, `pass` answers with
 * an empty object.
 */
export const codexDialect: HookProtocol = { ...claudeDialect, pass: () => answerLine({}) };

/** Qwen Code ignores a replaced input. */
export const qwenDialect: HookProtocol = { ...claudeDialect, pass: () => answerLine({}), replace: null };

const beforeTool = (input: JsonObject): string =>
  answerLine({ hookSpecificOutput: { hookEventName: 'BeforeTool', tool_input: input } });

/**
 * Gemini CLI runs all hooks at the same time, and the input from the last answer counts. Therefore `pass` repeats the input that the gate
 * has seen. Otherwise the tool could run with the input from another hook.
 */
export const geminiDialect: HookProtocol = {
  read: (event) => readAs('BeforeTool', event),
  pass: (_, input) => beforeTool(input),
  replace: beforeTool,
  deny: (reason) => answerLine({ decision: 'deny', reason }),
  isDenial: isPlainDenial,
};

/** The dialect of our own plugins, and of every harness that uses the protocol in `generic/tools.ts`. */
export const plainDialect: HookProtocol = {
  read: (event) => {
    const tool = textIn(event, 'tool');
    const input = event['input'];
    if (tool === null || !isObject(input)) return null;
    return { tool, input, cwd: textIn(event, 'cwd'), project: textIn(event, 'project') };
  },
  pass: () => answerLine({ decision: 'allow' }),
  replace: (input) => answerLine({ decision: 'allow', input }),
  deny: (reason) => answerLine({ decision: 'deny', reason }),
  isDenial: isPlainDenial,
};
