/** What we know of one agent harness: what its hooks mean and what its screen looks like. */
import type { ScreenView } from '../message/session-view.ts';
import type { HookTable } from './hook-events.ts';
import type { ScreenPatterns } from './screen-patterns.ts';

/**
 * @property programs        names of its program, without directories
 * @property announcesItself a hook reports at its launch: silence means that the hooks are not there, or that it is at a start-up screen
 * @property confirmsPrompts a hook reports each prompt that was submitted, with its text
 * @property commandLeads    a message that begins with one of these would be a command of the harness, not a message
 * @property dialogDelayMs   how long after the answer of its hook a dialog may take to be drawn; far more than was seen
 * @property enterDelayMs    an Enter sooner than this after a paste was shown is taken for a part of the paste; 0 where it never is
 * @property screen          null: its screen is not known, so nothing is ever sent
 * @property statusOf        what its window says of the mode and the model a prompt typed there would go to; its own
 *                           message API needs both as parameters
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

/** Seen: 0.1 to 0.2 s from the pre-tool hook to the dialog, on a machine at work. */
export const USUAL_DIALOG_DELAY_MS = 1_000;
