/** The description of an agent harness: what its hooks mean and what its screen looks like. */
import type { ScreenView } from '../message/session-view.ts';
import type { HookTable } from './hook-events.ts';
import type { ScreenPatterns } from './screen-patterns.ts';

/**
 * @property programs        names of its program, without directories
 * @property announcesItself whether a hook reports the launch of the harness. A missing report then means that either the hooks are not
 *                           installed or the harness shows a start-up screen
 * @property confirmsPrompts whether a hook reports each submitted prompt with its text
 * @property commandLeads    if a text begins with one of these, the harness takes the text for a command, and not for a message
 * @property dialogDelayMs   how long after the pre-tool hook a dialog can still appear, with a margin. If we delayed our answer to the
 *                           hook, the time is counted from our answer
 * @property enterDelayMs    how long the harness takes an Enter for a part of a paste, after the paste is shown; 0: never
 * @property screen          null: the screen is not known, so no message is ever sent
 * @property statusOf        reads the mode and the model from the screen; null: they are not on the screen. A message over the harness's
 *                           own API uses them. Absent: it is not known how the harness shows them
 */
export interface Harness {
  readonly name: string;
  readonly programs: readonly string[];
  readonly hooks: HookTable;
  readonly announcesItself: boolean;
  readonly confirmsPrompts: boolean;
  readonly commandLeads: readonly string[];
  readonly dialogDelayMs: number;
  readonly enterDelayMs: number;
  readonly screen: ScreenPatterns | null;
  readonly statusOf?: (view: ScreenView) => string | null;
}

/** On a loaded machine, the dialog was seen 0.1 to 0.2 s after the pre-tool hook. */
export const USUAL_DIALOG_DELAY_MS = 1_000;
