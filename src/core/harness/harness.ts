/** The description of an agent harness: what its hooks mean and what its screen looks like. */
import type { ScreenView } from '../message/session-view.ts';
import type { HookTable } from './hook-events.ts';
import type { ScreenPatterns } from './screen-patterns.ts';

/**
 * @property programs        names of the harness's program, without directories
 * @property announcesItself whether a hook reports the launch of the harness. If true, a missing report has one of two reasons: the hooks
 *                           are not installed, or the harness shows a start-up screen
 * @property confirmsPrompts whether a hook reports each submitted prompt with its text
 * @property commandLeads    the harness reads a text that begins with one of these leads as a command, not as a message
 * @property dialogDelayMs   how long after the pre-tool hook a dialog can still appear, with a margin. If we delayed our answer to the
 *                           hook, the time is counted from our answer
 * @property enterDelayMs    the wait between a shown paste and Enter; 0: no wait. An earlier Enter would become a part of the paste
 * @property screen          null: the screen is not known, so no message is ever sent
 * @property statusOf        reads the mode and the model from the screen, for messages over the harness's own API. Returns null if the
 *                           screen does not show mode and model. Absent: we do not know how the harness shows mode and model
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
