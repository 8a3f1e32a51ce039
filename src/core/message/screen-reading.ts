/** What a rendered screen says about the program on it. Evidence of this kind may refuse; it never allows by itself. */

/**
 * - `dialog`:   a question that belongs to a human; `rule` names what was recognised
 * - `composer`: the program's own line editor, at the bottom, with the cursor in it
 * - `busy`:     at work, and no composer to be seen
 * - `unknown`:  none of these
 */
export type ScreenReading =
  | { readonly kind: 'dialog'; readonly rule: string }
  | Composer
  | { readonly kind: 'busy' }
  | { readonly kind: 'unknown' };

/**
 * @property draft   what was typed and not sent, without placeholders and suggestions; rows joined with \n
 * @property folded  the draft holds a stand-in for a long paste: how many lines or characters it says, or 0 when it does not say
 * @property isBusy  a turn is running behind it
 */
export interface Composer {
  readonly kind: 'composer';
  readonly draft: string;
  readonly folded: { readonly unit: 'lines' | 'characters'; readonly count: number } | null;
  readonly isBusy: boolean;
}
