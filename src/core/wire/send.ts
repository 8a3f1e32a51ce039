/**
 * The bodies and the report of `POST /v1/sessions/:id/send` and `…/nudge`. Both calls write a message into a live session.
 * `core/message/send-outcome.ts` explains the members of the report.
 */
import { Type } from 'typebox';
import { closed, literals, nullable, type Shape } from './schema-parts.ts';

const Way = literals('api', 'keys');

export const SendReportSchema = Type.Object({
  result: literals(
    'submitted',
    'delivered',
    'awaiting-decision',
    'busy',
    'draft-present',
    'not-taken',
    'terminated',
    'not-found',
    'unknown',
  ),
  code: Type.String(),
  why: Type.String(),
  enters: Type.Integer({ minimum: 0 }),
  isDraftLeft: Type.Boolean(),
  via: nullable(Way),
});

const message = Type.Optional(Type.String({ description: '1 to 32,768 bytes of UTF-8; required' }));
const via = Type.Optional({
  ...Way,
  description: "use only this way; default: the agent's own message API if it has one, else keys",
});

/** `message` is required. The schema does not demand `message`: the error for a missing message has its own code. */
export const SendBodySchema = Type.Object(
  {
    message,
    waitIdleMs: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 60_000,
        description: 'how long to wait until the turn of the agent is over; default 0',
      }),
    ),
    via,
  },
  closed,
);
export type SendBody = Shape<typeof SendBodySchema>;

export const NudgeBodySchema = Type.Object({ message, via }, closed);
