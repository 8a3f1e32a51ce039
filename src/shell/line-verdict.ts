/** The port between the interactive shell and the gate: a line goes in, a verdict comes out. */

import { exitStatusOf, type Failure, failureLine } from '../core/failure.ts';
import type { EnvironmentEntry } from '../core/grant/request.ts';
import type { LineReading } from '../core/reading/line-reading.ts';

/**
 * One complete command, as typed; its text can have several lines.
 * @property cwd         the working directory of bash
 * @property environment the entries that a grant binds, not sorted. Each entry has its value in bash. The entries are variables, and
 *                       changes that the session has made (`alias NAME`, `function NAME`, `hash NAME` and the like)
 * @property reading     the result of parsing `text`; absent: `text` is not parsed yet
 */
export interface LineRequest {
  readonly text: string;
  readonly cwd: string;
  readonly environment: readonly EnvironmentEntry[];
  readonly reading?: LineReading;
}

/**
 * - `run`: bash evaluates exactly `text`
 *   - `profile`: the confinement of the line's processes; null: not confined
 *   - `isWide`: whether scopes cover the line, and not an approval of the line's exact bytes. If true, the line runs without a pager and
 *     without an editor. Absent: false
 *   - `isApart`: whether bash itself would open files for the line. If true, the line runs in a subshell if it is confined. Absent: false
 * - `refused`: nothing runs; `status` becomes `$?`
 * - `answered`: the line is one of our own `:` commands; `output` is printed, nothing runs, and `status` becomes `$?`
 * - `reset`: start a new bash in the same directory
 */
export type LineVerdict =
  | {
      readonly kind: 'run';
      readonly text: string;
      readonly profile: Buffer | null;
      readonly isWide?: boolean;
      readonly isApart?: boolean;
    }
  | { readonly kind: 'refused'; readonly message: string; readonly status: number }
  | { readonly kind: 'answered'; readonly output: string; readonly status: number }
  | { readonly kind: 'reset' };

/** The verdict if nothing runs because of this failure. */
export const refusalVerdict = (reason: Failure): LineVerdict & { readonly kind: 'refused' } => ({
  kind: 'refused',
  message: failureLine('ape-shell', reason),
  status: exitStatusOf(reason),
});

/** How a line ended. */
interface LineReport {
  readonly status: number;
  readonly wasInterrupted: boolean;
}

export interface LineGate {
  /** `print` shows a text while the line waits. The caller aborts `cancelled` to withdraw the request, and must then ignore the verdict. */
  decide(line: LineRequest, print: (text: string) => void, cancelled: AbortSignal): Promise<LineVerdict>;
  /** The caller calls this after each line that bash ran. */
  finished(report: LineReport): void;
}
