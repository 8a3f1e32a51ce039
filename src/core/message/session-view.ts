/** Types for live sessions: their list, their screens, and what their programs are doing. */
import type { Shape } from '../wire/schema-parts.ts';
import type { SendReportSchema } from '../wire/send.ts';
import type { SessionViewSchema } from '../wire/session-view.ts';

/** `shell`: the interactive gated shell. `program`: one program (an agent's TUI) in a session of its own. */
export type SessionKind = SessionView['kind'];

/**
 * - `active`:        the agent works
 * - `idle`:          the agent's turn is over
 * - `waiting_input`: the agent waits for an input of a human; a person may send a message
 * - `blocked`:       the agent waits for a decision of a human
 * - `exited`:        the program has ended
 */
export const ACTIVITY_STATES = ['active', 'idle', 'waiting_input', 'blocked', 'exited'] as const;
export type ActivityState = (typeof ACTIVITY_STATES)[number];

/**
 * The rendered screen, as a person would see it. Rows and columns are those of the terminal, from 0.
 * @property lines           one text for each row, from the top, without trailing blanks. A wide character fills two columns, but comes
 *                           only once in the text
 * @property faintColumns    for each row, the columns with dim or grey text. A wide character is listed with its first column only. To the
 *                           right of a wide character, columns differ from indexes into the row's text. Harnesses draw most placeholders
 *                           dim or grey, but never a draft. So these columns distinguish placeholders from drafts
 * @property title           the title that the program set last (OSC 0 or OSC 2); empty if the program has set no title
 * @property isAlternate     whether the alternate buffer is shown
 * @property isPasteBracketed whether the program has set DECSET 2004. The program then distinguishes a paste from keys
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
 * @property name         the name that the owner gave the session; null: no name
 * @property pid          the process of ape-shell that hosts the session and has its pseudo-terminal open; not the program
 * @property program      argv of the program that was started; in a shell, argv of the program that is in the foreground now
 * @property cwd          the working directory of the program in the foreground
 * @property harness      the agent harness to which the program belongs; null: no known harness
 * @property state        null: not known
 * @property idleMs       time since the last byte of output or the last key, whichever came later
 * @property watchers     how many viewers (terminals and pages) are attached now
 * @property pendingGrant id of the request for which the session waits; null: the session does not wait
 */
export type SessionView = Shape<typeof SessionViewSchema>;

/**
 * What a hook of a harness reports. A member is null if the hook does not report that value. Null also replaces a name or id of more than
 * 256 bytes, and a prompt of more than 1 MiB. Long values are not cut, because a cut id could be equal to another id.
 * @property state      what the agent does after the event; null: the event does not show it
 * @property event      our own name of the event, for example `pre-tool-use` (`src/core/message/activity.ts`). Null: the event has no
 *                      meaning for us
 * @property toolName   the harness's name of the tool
 * @property toolUseId  the harness's own id of this call of the tool
 * @property promptText the text of a submitted prompt, which confirms a send
 * @property agentId    the harness's own id of the conversation. This id distinguishes the session's agent from the subagents of this
 *                      agent. Absent means the same as null
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
 * The result of a send, as a word that programs read:
 * - `submitted`: the text was submitted to the program
 * - `delivered`: the text was submitted, but no confirmation came
 * - any other:   the text was not submitted, and may still be in the program's editor (`SendReport.isDraftLeft`)
 */
export type SendResult = Shape<typeof SendReportSchema>['result'];
