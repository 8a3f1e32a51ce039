/** The description of an agent harness: what its hooks mean and what its screen looks like. */
import type { ScreenView } from '../message/session-view.ts';
import type { HookTable } from './hook-events.ts';
import type { ScreenPatterns } from './screen-patterns.ts';

/**
 * @property programs        names of its program, without directories
 * @property announcesItself whether a hook reports the launch of the harness. A missing report then means that either the hooks are not
 *                           installed or the harness shows a start-up screen
 * @property confirmsPrompts whether a hook reports each submitted prompt with its text
 * @property commandLeads    the beginnings of a text that the harness takes for a command, and not for a message
 * @property dialogDelayMs   the longest time from the hook before a dialog, or from our answer to this hook, until the dialog is drawn,
 *                           with a margin
 * @property enterDelayMs    for this time after a paste is shown, the harness treats an Enter as a part of the paste; 0: it never does so
 * @property screen          null: the screen is not known, so no message is ever sent
 * @property statusOf        returns the mode and the model that the window shows, or null if it does not show them. A message
 *                           over the harness's own API names both. Absent: not known how this harness shows them
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

/** Seen on a loaded machine: 0.1 to 0.2 s from the pre-tool hook to the dialog. */
export const USUAL_DIALOG_DELAY_MS = 1_000;
