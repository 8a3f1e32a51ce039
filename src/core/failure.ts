/**
 * The classes of failures with their exit statuses, and the line that shows a failure.
 *
 * The statuses follow sysexits.h(3). The statuses 126, 127 and 128+n mean the same as in bash.
 */
import type { CodedFault } from './fault.ts';
import { visibleText } from './text/visible-text.ts';
export const EXIT_STATUS = {
  usage: 64,
  unreadable: 65,
  unavailable: 69,
  software: 70,
  system: 71,
  confinement: 72,
  audit: 74,
  pending: 75,
  protocol: 76,
  refused: 77,
  configuration: 78,
} as const;

export type FailureCode = keyof typeof EXIT_STATUS;

/** The meaning of each exit status, as `--help` prints it. */
export const EXIT_MEANINGS: Readonly<Record<FailureCode, string>> = {
  usage: 'a wrong argument or option',
  unreadable: 'the command or the input cannot be read: a NUL byte, not UTF-8, too long',
  unavailable: 'the grant server or the session does not answer',
  software: 'an internal error; the message says whether something may have run',
  system: 'the operating system refused (no process, no directory, no space); nothing ran',
  confinement: 'the command cannot be confined as it was approved; nothing ran',
  audit: 'the audit record cannot be written; nothing ran',
  pending: 'pending, or the wait timed out: a human has to decide first',
  protocol: "the server's answer is malformed or wrongly signed; nothing ran",
  refused: 'refused: denied, revoked, used, expired, withdrawn, or not allowed',
  configuration: 'the configuration is wrong, or this host is not enrolled',
};

/** What did not happen because of the failure. The text comes after the advice. */
const CONSEQUENCES = { 'nothing-ran': 'nothing ran', 'nothing-done': 'nothing was done' } as const;

type Consequence = keyof typeof CONSEQUENCES;

/**
 * A failure is shown as one line: what is wrong (`message`), then what to do (`advice`), then what did not happen (`consequence`).
 *
 * @property code        the class, which decides the exit status
 * @property message     lower case, no full stop, no program name in front
 * @property advice      an instruction; absent if the reader can do nothing
 * @property seesHealth  whether the advice names `apes health`
 * @property consequence absent if the message already says what did not happen, or a text in front of the message says so (`NOT RUN:`).
 *                       Also absent if the program was not called to run a command
 * @property detail      a stable machine-readable sub-code, for example `grant.used`
 */
export interface Failure extends CodedFault<FailureCode> {
  readonly advice?: string;
  readonly seesHealth?: true;
  readonly consequence?: Consequence;
  readonly detail?: string;
}

export function failure(code: FailureCode, message: string, advice?: string, detail?: string): Failure {
  return { code, message, ...(advice === undefined ? {} : { advice }), ...(detail === undefined ? {} : { detail }) };
}

export const exitStatusOf = (failure: Failure): number => EXIT_STATUS[failure.code];

/** Returns the same failure with the consequence "nothing ran". */
export const nothingRan = (failure: Failure): Failure => ({ ...failure, consequence: 'nothing-ran' });

/** Returns the same failure with the advice "see `apes health`". */
export const seesHealth = (failure: Failure): Failure => ({ ...failure, seesHealth: true });

/** The text after the message: advice and consequence. Undefined if the failure has no advice and no consequence. */
export function adviceText({ advice, seesHealth: isInHealth, consequence }: Failure): string | undefined {
  const health = isInHealth === true ? ['see `apes health`'] : [];
  const parts = [
    [...(advice === undefined ? [] : [advice]), ...health].join(', or '),
    consequence === undefined ? '' : CONSEQUENCES[consequence],
  ];
  const nonEmpty = parts.filter((part) => part !== '');
  return nonEmpty.length === 0 ? undefined : nonEmpty.join('; ');
}

/**
 * `message; advice; consequence`, without the name of a program. A message can quote text of the caller. So control characters and
 * invisible characters become visible marks; newlines and tabs stay. A long text is not cut.
 */
export function failureText(failure: Failure): string {
  const advice = adviceText(failure);
  return visibleText(advice === undefined ? failure.message : `${failure.message}; ${advice}`);
}

/** `ape-shell: message; advice; consequence`, without a newline at the end. A text longer than `MAX_LINE` is cut in the middle. */
export const failureLine = (program: string, failure: Failure): string =>
  `${program}: ${shortened(failureText(failure))}`;

/** In UTF-16 code units. Our own words are shorter: only a text that quotes a long word of the caller reaches this limit. */
const MAX_LINE = 4_000;

function shortened(text: string): string {
  if (text.length <= MAX_LINE) return text;
  const half = MAX_LINE / 2;
  return `${text.slice(0, half)}… (${text.length - MAX_LINE} characters left out) …${text.slice(-half)}`;
}
