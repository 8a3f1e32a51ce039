/** The one form of what `apes … --json` prints: `{"ok":true,"data":…}` or `{"ok":false,"error":{…}}`, on one line. */
import type { Failure } from '../failure.ts';

/**
 * @property ok    the verb did what it was called for; a request that waits for a human did not run, and is not ok
 * @property data  the result; beside an error what is known all the same (a request that waits, the checks of `apes health`)
 * @property next  of a list that may leave something out: where its next page begins; null where nothing was left out
 * @property error only where `ok` is false
 */
interface JsonAnswer {
  readonly ok: boolean;
  readonly data?: unknown;
  readonly next?: string | null;
  readonly error?: JsonError;
}

/**
 * @property code       the class of the failure, the name of its exit status: `usage`, `pending`, `refused`, …
 * @property detail     a narrower code where there is one, such as `grant.not_found`
 * @property message    what is wrong, for people
 * @property hint       what to do, for people
 * @property exitStatus with which the program ends
 */
interface JsonError {
  readonly code: string;
  readonly detail?: string;
  readonly message: string;
  readonly hint?: string;
  readonly exitStatus: number;
}

/** A failure, or what has a code of its own. */
type Wrong = Omit<Failure, 'code'> & { readonly code: string };

/** @param next undefined: it is no list that may leave something out */
export const dataAnswer = (data: unknown, next?: string | null): string =>
  line({ ok: true, data, ...(next === undefined ? {} : { next }) });

/** @param data undefined: there is nothing beside the error */
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

const line = (answer: JsonAnswer): string => `${JSON.stringify(answer)}\n`;
