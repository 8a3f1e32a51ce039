/** The port between the interactive shell and the gate: a line goes in, a verdict comes out. */

import type { EnvironmentEntry } from '../core/grant/request.ts';
import type { LineReading } from '../core/reading/line-reading.ts';

/**
 * One complete input: perhaps many lines of text.
 * @property cwd         the directory bash is in
 * @property environment what a grant binds, from bash's own view, with `alias NAME`, `function NAME` and `disabled NAME`
 *                       for every word of the line that does not mean what it usually means
 * @property reading     of this text, so that it is not parsed again; absent: nothing has read it yet
 */
export interface LineRequest {
  readonly text: string;
  readonly cwd: string;
  readonly environment: readonly EnvironmentEntry[];
  readonly reading?: LineReading;
}

/**
 * - `run`: exactly the text bash evaluates, and the profile its processes are held to (null: none); without a pager and an editor
 *   where `isWide`
 * - `refused`: nothing runs; `status` becomes `$?`
 * - `answered`: one of our own `:` commands; print, run nothing
 * - `reset`: a fresh bash in the same directory
 */
export type LineVerdict =
  | { readonly kind: 'run'; readonly text: string; readonly profile: Buffer | null; readonly isWide?: boolean }
  | { readonly kind: 'refused'; readonly message: string; readonly status: number }
  | { readonly kind: 'answered'; readonly output: string; readonly status: number }
  | { readonly kind: 'reset' };

/** @property text null when the shell could not say which line ended */
interface LineReport {
  readonly text: string | null;
  readonly status: number;
  readonly interrupted: boolean;
  readonly cwd: string;
}

export interface LineGate {
  /** `tell` prints while the line waits; aborting `cancelled` withdraws the request. */
  decide(line: LineRequest, tell: (text: string) => void, cancelled: AbortSignal): Promise<LineVerdict>;
  finished(report: LineReport): void;
}
