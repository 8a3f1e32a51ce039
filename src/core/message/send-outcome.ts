/** The results of a send. Only `SEND_ENDINGS` maps the results to HTTP statuses, codes and exit statuses. */

import type { Shape } from '../wire/schema-parts.ts';
import type { SendReportSchema } from '../wire/send.ts';
import type { SendResult } from './session-view.ts';

/**
 * @property status     the HTTP status of the answer
 * @property code       a stable word for programs
 * @property exitStatus the exit status of `apes send`. Each result has its own status. 69, 75 and 77 have the meaning of sysexits.h, as
 *                      for our other verbs. 79 to 83 are above the range of sysexits.h
 */
export interface SendEnding {
  readonly status: number;
  readonly code: string;
  readonly exitStatus: number;
}

export const SEND_ENDINGS: Readonly<Record<SendResult, SendEnding>> = {
  submitted: { status: 200, code: 'SUBMITTED', exitStatus: 0 },
  delivered: { status: 202, code: 'DELIVERED_UNCONFIRMED', exitStatus: 79 },
  'awaiting-decision': { status: 409, code: 'SESSION_AWAITING_DECISION', exitStatus: 77 },
  busy: { status: 409, code: 'SESSION_BUSY', exitStatus: 75 },
  'draft-present': { status: 409, code: 'SESSION_DRAFT_PRESENT', exitStatus: 80 },
  'not-taken': { status: 409, code: 'MESSAGE_NOT_TAKEN', exitStatus: 81 },
  terminated: { status: 409, code: 'SESSION_TERMINATED', exitStatus: 82 },
  'not-found': { status: 404, code: 'SESSION_NOT_FOUND', exitStatus: 69 },
  unknown: { status: 409, code: 'SESSION_STATE_UNKNOWN', exitStatus: 83 },
};

/** How a message gets to a program. `api`: by the message API of its harness. `keys`: as a paste and Enter in its terminal. */
export type SendWay = NonNullable<SendReport['via']>;

/** The results of a send that did not submit the text. */
export type Refused = Exclude<SendResult, 'submitted' | 'delivered'>;

/**
 * @property result  see `SendResult`
 * @property why     one clause for a person: why the send was refused, or what was seen
 * @property enters  how often Enter was written
 * @property isDraftLeft whether the program's editor may still contain the text. If so, a second send of the same text submits the draft
 * @property via     the way in which something was written; null: nothing was written
 */
export type SendReport = Shape<typeof SendReportSchema>;

export const sendReport = (
  result: SendResult,
  why: string,
  enters = 0,
  isDraftLeft = false,
  via: SendWay | null = null,
): SendReport => ({
  result,
  code: SEND_ENDINGS[result].code,
  why,
  enters,
  isDraftLeft,
  via,
});
