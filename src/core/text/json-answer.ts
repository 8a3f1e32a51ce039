/** The envelope that `apes … --json` prints: `{"ok":true,"data":…}` or `{"ok":false,"error":{…}}`, on one line. */
import type { Failure } from '../failure.ts';
import { visibleJson } from './visible-text.ts';

/**
 * @property ok    whether the command did its work. False also while a request waits for a human
 * @property data  the result; with an error: further facts (the pending request, the checks of `apes health`)
 * @property next  only for a page of a list: the cursor of the next page; null: this is the last page
 * @property error only if `ok` is false
 */
interface JsonAnswer {
  readonly ok: boolean;
  readonly data?: unknown;
  readonly next?: string | null;
  readonly error?: JsonError;
}

/**
 * @property code       the name of the exit status: `usage`, `pending`, `refused`, …
 * @property detail     a more exact code, if there is one, such as `grant.not_found`
 * @property message    what is wrong, for people
 * @property hint       what to do, for people
 * @property exitStatus the exit status of the program
 */
interface JsonError {
  readonly code: string;
  readonly detail?: string;
  readonly message: string;
  readonly hint?: string;
  readonly exitStatus: number;
}

/**
 * A failure whose code may be any text. `apes send` has exit statuses that no `FailureCode` has. For such a status, the code is the result
 * of the send.
 */
type Wrong = Omit<Failure, 'code'> & { readonly code: string };

/** @param next undefined: the data is no page of a list; null: the data is the last page */
export const dataAnswer = (data: unknown, next?: string | null): string =>
  line({ ok: true, data, ...(next === undefined ? {} : { next }) });

/** @param data undefined: the answer has only the error */
export function errorAnswer(wrong: Wrong, exitStatus: number, data?: unknown): string {
  const { code, detail, message, advice } = wrong;
  const error: JsonError = {
    code,
    ...(detail === undefined ? {} : { detail }),
    message,
    ...(advice === undefined ? {} : { hint: advice }),
    exitStatus,
  };
  return line({ ok: false, ...(data === undefined ? {} : { data }), error });
}

/** Escapes what a terminal would not show as text. People read the answer on terminals, and it can contain untrusted texts. */
const line = (answer: JsonAnswer): string => visibleJson(`${JSON.stringify(answer)}\n`);
