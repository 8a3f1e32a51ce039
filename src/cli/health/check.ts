/** Makes one check of `apes health`. The check always ends with a finding, even if `look` throws or takes too long. */
import type { Failure, FailureCode } from '../../core/failure.ts';
import { visibleLine } from '../../core/text/visible-text.ts';

/**
 * @property code    the class of a failure, which decides the exit status
 * @property address the URL at which a phone opens the server, without any secret; absent: this check found no such URL
 */
export type Finding = {
  readonly name: string;
  readonly text: string;
  readonly advice?: string;
  readonly address?: string;
} & ({ readonly state: 'ok' | 'warn' } | { readonly state: 'fail'; readonly code: FailureCode });

/** The result of a check. `check` adds the name of the check, and returns a `Finding`. */
export type CheckResult =
  | { readonly state: 'ok' | 'warn'; readonly text: string; readonly advice?: string; readonly address?: string }
  | { readonly state: 'fail'; readonly code: FailureCode; readonly text: string; readonly advice?: string };

export const ok = (text: string): CheckResult => ({ state: 'ok', text });
export const warn = (text: string, advice?: string): CheckResult => ({
  state: 'warn',
  text,
  ...(advice === undefined ? {} : { advice }),
});

/** Makes a failed result with the failure's message and advice. Leaves out the texts "nothing ran" and "see `apes health`". */
export const fail = ({ code, message, advice }: Failure): CheckResult => ({
  state: 'fail',
  code,
  text: message,
  ...(advice === undefined ? {} : { advice }),
});

/** @param timeoutMs after this time the check counts as failed; a later result of `look` is ignored */
export async function check(
  name: string,
  timeoutMs: number,
  look: () => Promise<CheckResult> | CheckResult,
): Promise<Finding> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<CheckResult>((resolve) => {
    const overdue: CheckResult = { state: 'fail', code: 'unavailable', text: `no result within ${timeoutMs / 1000} s` };
    timer = setTimeout(() => resolve(overdue), timeoutMs);
  });
  const result = await Promise.race([attempt(look), late]);
  clearTimeout(timer);
  const advice = result.advice === undefined ? {} : { advice: visibleLine(result.advice) };
  return { name, ...result, text: visibleLine(result.text), ...advice };
}

async function attempt(look: () => Promise<CheckResult> | CheckResult): Promise<CheckResult> {
  try {
    return await look();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { state: 'fail', code: 'software', text: `the check itself failed: ${why}` };
  }
}
