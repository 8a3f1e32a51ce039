/** Types about live sessions: how a session is listed, what its screen shows, what its program is doing. */
import type { Shape } from '../wire/schema-parts.ts';
import type { SendReportSchema } from '../wire/send.ts';
import type { SessionViewSchema } from '../wire/session-view.ts';

/** `shell`: the interactive gated shell. `program`: one program (an agent's TUI) in a session of its own. */
export type SessionKind = SessionView['kind'];

/**
 * - `active`:        the agent works
 * - `idle`:          its turn is over
 * - `waiting_input`: it waits for a prompt, and a message is safe
 * - `blocked`:       it waits for a decision of a human
 * - `exited`:        the program has ended
 */
export const ACTIVITY_STATES = ['active', 'idle', 'waiting_input', 'blocked', 'exited'] as const;
export type ActivityState = (typeof ACTIVITY_STATES)[number];

/**
 * The rendered screen, as a person would see it.
 * @property lines           one text for each row, from the top, without trailing blanks; wide characters count once
 * @property faintColumns    for each row, the columns that are dim or grey: placeholders are dim, drafts are not
 * @property cursor          row and column from 0
 * @property title           the last OSC 0/2 title; '' before the first
 * @property isAlternate     whether the alternate buffer is shown
 * @property isPasteBracketed DECSET 2004: the program distinguishes a paste from keys
 */
export interface ScreenView {
  readonly columns: number;
  readonly rows: number;
  readonly lines: readonly string[];
  readonly faintColumns: readonly (readonly number[])[];
  readonly cursor: { readonly row: number; readonly column: number; readonly isVisible: boolean };
  readonly title: string;
  readonly isAlternate: boolean;
  readonly isPasteBracketed: boolean;
}

/**
 * @property id           `s_` and 20 hexadecimal digits
 * @property name         the name that its owner gave it, or null
 * @property pid          the process that holds the pseudo-terminal
 * @property program      argv of the program that was started; in a shell, argv of the program in its foreground now
 * @property harness      the agent harness that the program was recognised as, or null
 * @property idleMs       time since the last byte of output or the last key
 * @property pendingGrant id of the request that the session waits for, or null
 */
export type SessionView = Shape<typeof SessionViewSchema>;

/**
 * What a harness's hook reports. A text over its limit is left out and not cut, because a cut id could equal another.
 * @property event      the harness's event by our own name, for example `pre-tool-use`; see `src/core/message/activity.ts`
 * @property promptText the text of a submitted prompt, which confirms a send; at most 1 MiB
 * @property agentId    the harness's own id of the conversation: distinguishes the session's agent from an agent that it runs
 */
export interface ActivitySignal {
  readonly state: ActivityState | null;
  readonly event: string | null;
  readonly toolName: string | null;
  readonly toolUseId: string | null;
  readonly promptText: string | null;
  readonly agentId?: string | null;
}

/**
 * How a send ended, with the words that programs read. Only `submitted` and `delivered` (no confirmation came) mean
 * that the text reached the program.
 */
export type SendResult = Shape<typeof SendReportSchema>['result'];
