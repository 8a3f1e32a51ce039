/** Types for what a screen shows of the program on it. A screen alone can be a reason to refuse a send, never to allow one. */

/**
 * - `dialog`:   a question for a human; `rule`: the name of the pattern that was recognised
 * - `composer`: the program's own line editor, at the bottom, with the cursor in it
 * - `busy`:     the program works and shows no composer
 * - `unknown`:  none of these
 */
export type ScreenReading =
  | { readonly kind: 'dialog'; readonly rule: string }
  | Composer
  | { readonly kind: 'busy' }
  | { readonly kind: 'unknown' };

/**
 * @property draft   the text that was typed and not sent, without placeholders and suggestions; rows joined with \n
 * @property folded  the size that the editor shows in place of a long paste; `count` 0: the editor shows no size; null: no
 *                   paste is folded
 * @property isBusy  whether a turn is running
 */
export interface Composer {
  readonly kind: 'composer';
  readonly draft: string;
  readonly folded: { readonly unit: 'lines' | 'characters'; readonly count: number } | null;
  readonly isBusy: boolean;
}
