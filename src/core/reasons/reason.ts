/**
 * The reasons why only the exact bytes of a line can be approved. Each code has a sentence and advice, in the tables of this directory.
 * Decisions depend on the code, never on the wording.
 */
import { ADVICE, type ReasonEntry } from './advice.ts';
import { BUILTIN_REASONS } from './builtin-reasons.ts';
import { REQUEST_REASONS } from './request-reasons.ts';
import { SCRIPT_REASONS } from './script-reasons.ts';
import { TOOL_REASONS } from './tool-reasons.ts';
import { WORD_REASONS } from './word-reasons.ts';
import { WRAPPER_REASONS } from './wrapper-reasons.ts';

const REASONS = {
  ...SCRIPT_REASONS,
  ...BUILTIN_REASONS,
  ...WRAPPER_REASONS,
  ...TOOL_REASONS,
  ...WORD_REASONS,
  ...REQUEST_REASONS,
};

export type ReasonCode = keyof typeof REASONS;

/** The texts that the sentence of a code quotes: words of the line, names, numbers. */
type DetailsOf<Code extends ReasonCode> = (typeof REASONS)[Code]['says'] extends (...details: infer Details) => string
  ? Details
  : readonly [];

/** @property reason the end of a sentence that begins "it …": `defines a function` */
export interface Reason {
  readonly code: ReasonCode;
  readonly reason: string;
}

export function because<Code extends ReasonCode>(code: Code, ...details: DetailsOf<Code>): Reason {
  const { says }: ReasonEntry = REASONS[code];
  return { code, reason: typeof says === 'string' ? says : says(...(details as never[])) };
}

/** Adds the name of a program to the reason. */
export const aboutProgram = (reason: Reason, name: string): Reason => ({
  code: reason.code,
  reason: `${reason.reason} (${name})`,
});

/** Turns a reason about the program `name` into a reason about a command that runs through this program. */
export const throughProgram = (reason: Reason, name: string): Reason => ({
  code: reason.code,
  reason: `goes through ${name}, which ${reason.reason}`,
});

/** Whether the value that a function returned is a reason. The function's other return values must not have a member `reason`. */
export const isReason = <T extends object>(answer: T | Reason): answer is Reason => 'reason' in answer;

export const adviceFor = (code: ReasonCode): string => ADVICE[REASONS[code].advice];

/** Whether a reason means that words of the line were not read. These unread words may be arbitrary command names. */
export const hidesWords = (code: ReasonCode): boolean =>
  Object.hasOwn(SCRIPT_REASONS, code) && SCRIPT_REASONS[code as keyof typeof SCRIPT_REASONS].hidesWords;
