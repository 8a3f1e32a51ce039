/** What the screen of a program shows. A screen alone can be a reason not to send a message, but never a reason to send a message. */

/**
 * - `dialog`:   a question for a human; `rule`: the name of the pattern that matches the screen
 * - `composer`: the program's own line editor, at the bottom, with the cursor in this editor
 * - `busy`:     the program works and shows no composer
 * - `unknown`:  the screen shows none of these
 */
export type ScreenReading =
  | { readonly kind: 'dialog'; readonly rule: string }
  | Composer
  | { readonly kind: 'busy' }
  | { readonly kind: 'unknown' };

/**
 * @property draft   the unsent text in the editor, without hints and suggestions; rows joined with \n
 * @property folded  the size of a long paste. The editor shows a short text instead of the paste, and `draft` contains this short text.
 *                   `count` 0: the short text names no size. Null: the editor shows the whole draft
 * @property isBusy  whether a turn is running
 */
export interface Composer {
  readonly kind: 'composer';
  readonly draft: string;
  readonly folded: { readonly unit: 'lines' | 'characters'; readonly count: number } | null;
  readonly isBusy: boolean;
}
