/** Types for what a screen shows of its program. A screen can be the only reason to refuse a send, but never the only reason to allow it. */

/**
 * - `dialog`:   a question for a human; `rule`: the name of the pattern that the screen fits
 * - `composer`: the program's own line editor, at the bottom, with the cursor in it
 * - `busy`:     the program works and shows no composer
 * - `unknown`:  the screen shows none of these
 */
export type ScreenReading =
  | { readonly kind: 'dialog'; readonly rule: string }
  | Composer
  | { readonly kind: 'busy' }
  | { readonly kind: 'unknown' };

/**
 * @property draft   the text in the editor that was not sent, without hints and suggestions; rows joined with \n
 * @property folded  null: the editor shows the whole draft. Else the draft contains a short text that the editor shows in place of a long
 *                   paste, and `folded` is the size of the paste; `count` 0: the short text names no size
 * @property isBusy  whether a turn is running
 */
export interface Composer {
  readonly kind: 'composer';
  readonly draft: string;
  readonly folded: { readonly unit: 'lines' | 'characters'; readonly count: number } | null;
  readonly isBusy: boolean;
}
