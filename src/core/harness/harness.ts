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
 * @property dialogDelayMs   how long after the pre-tool hook a dialog can still be drawn, with a margin. If our answer to the hook was
 *                           delayed, this time begins with the answer
 * @property enterDelayMs    for this time after a paste is shown, the harness treats an Enter as a part of the paste; 0: it never does so
 * @property screen          null: the screen is not known, so no message is ever sent
 * @property statusOf        returns the mode and the model that the window shows, for a message over the harness's own API; null: the
 *                           window does not show them. Absent: not known how this harness shows them
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
