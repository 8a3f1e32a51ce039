/**
 * The sessions and commands that run on the hosts now. An approver can hold, continue or kill a session or a command. A host keeps an
 * event stream of orders open (`GET /v1/orders`), and answers each order with `POST /v1/orders/:id/answer`. Without an order, a host
 * sends nothing.
 */
import { Type } from 'typebox';
import { ACTIVITY_STATES } from '../message/session-view.ts';
import { MAX_RUNNING_COMMANDS, MAX_RUNNING_SESSIONS, RUNNING_ACTS, type RunningAct } from '../running.ts';
import { closed, Id, list, literals, Milliseconds, nullable, type Shape } from './schema-parts.ts';

const MAX_TEXT_LENGTH = 4096;
const MAX_WORDS = 64;
/** The maximum number of lines of a screen. `apes session start --rows` has the same limit. */
const MAX_SIDE = 1_000;
const MAX_NOT_HELD = 100;

const Text = Type.String({ maxLength: MAX_TEXT_LENGTH });
const Count = Type.Integer({ minimum: 0 });
const SessionId = Type.String({ pattern: '^s_[0-9a-f]{20}$' });

/** @property target the id of a session (`s_…`) or of a grant; null: the order is for the whole host */
export interface HostOrder {
  readonly id: string;
  readonly does: RunningAct | 'list' | 'screen';
  readonly target: string | null;
}

const RunningSessionSchema = Type.Object(
  {
    id: SessionId,
    name: nullable(Text),
    kind: literals('shell', 'program'),
    program: list(Text, MAX_WORDS),
    cwd: Text,
    state: nullable(literals(...ACTIVITY_STATES)),
    title: Text,
    startedAtMs: Milliseconds,
    idleMs: Count,
    pendingGrant: nullable(Id),
    heldSinceMs: nullable(Milliseconds),
    isAnswering: Type.Boolean({
      description:
        'false: the process that hosts the session does not answer; title, idleMs and pendingGrant are not known',
    }),
  },
  closed,
);
/**
 * @property name         null: the session has no name, or has ended
 * @property state        what the program is doing; null: not known
 * @property program      argv of the program; empty if the session has ended and only its stopped processes are left
 * @property startedAtMs  when the session started; equal to `heldSinceMs` if `program` is empty
 * @property idleMs       time since the last byte of output or the last key, whichever came later
 * @property pendingGrant id of the request for which the session waits; null: the session does not wait
 * @property heldSinceMs  since when the processes of the session are stopped; null: the processes are not held
 * @property isAnswering  false: three values are not known; `title` is empty, `idleMs` is 0, and `pendingGrant` is null
 */
export type RunningSession = Shape<typeof RunningSessionSchema>;

const RunningCommandSchema = Type.Object(
  { grantId: Id, processes: Count, startedAtMs: Milliseconds, heldSinceMs: nullable(Milliseconds) },
  closed,
);
/**
 * @property processes   how many commands run under the grant now; if no command of the grant runs any more, the number of stopped
 *                       processes that the commands have left
 * @property startedAtMs when the first of the commands started; if only stopped processes are left, equal to `heldSinceMs`
 * @property heldSinceMs since when the processes of the commands are stopped; null: the processes are not held
 */
export type RunningCommand = Shape<typeof RunningCommandSchema>;

export const ScreenTextSchema = Type.Object(
  {
    columns: Count,
    rows: Count,
    lines: list(Text, MAX_SIDE),
    title: Text,
    cursor: Type.Object({ row: Count, column: Count, isVisible: Type.Boolean() }, closed),
  },
  closed,
);
/** @property cursor the first row and the first column have the number 0 */
export type ScreenText = Shape<typeof ScreenTextSchema>;

const NotHeldSchema = Type.Object({ pid: Count, name: Text, why: Text }, closed);
export const ActedSchema = Type.Object(
  {
    processes: Type.Integer({ minimum: 0, description: 'how many processes were held, continued or ended' }),
    notHeld: list(NotHeldSchema, MAX_NOT_HELD),
  },
  closed,
);
/** @property notHeld the processes that could not be held, continued or ended, each with the reason `why` */
export type Acted = Shape<typeof ActedSchema>;

export const OrderAnswerSchema = Type.Union([
  Type.Object(
    {
      kind: Type.Literal('list'),
      sessions: list(RunningSessionSchema, MAX_RUNNING_SESSIONS),
      commands: list(RunningCommandSchema, MAX_RUNNING_COMMANDS),
    },
    closed,
  ),
  Type.Object({ kind: Type.Literal('screen'), screen: ScreenTextSchema }, closed),
  Type.Object({ kind: Type.Literal('acted'), acted: ActedSchema }, closed),
  Type.Object({ kind: Type.Literal('failed'), why: literals('not-here', 'unable', 'silent'), message: Text }, closed),
]);
/**
 * The answer of a host to an order. `failed` has a `message` for people, and the reason `why`:
 * - `not-here`: the target does not run on this host any more, or the target of a `continue` is not held
 * - `unable`:   the host cannot do this
 * - `silent`:   the process that hosts the session does not answer
 */
export type OrderAnswer = Shape<typeof OrderAnswerSchema>;

/** @property text the beginning of the text of the request; null: this requester has no such grant on this server */
const ShownCommandSchema = Type.Object({ ...RunningCommandSchema.properties, text: nullable(Type.String()) });

const RunningHostSchema = Type.Object({
  requesterId: Id,
  name: Type.String(),
  host: Type.String(),
  user: Type.String(),
  state: literals('here', 'slow', 'gone'),
  seenAtMs: Type.Integer({ description: 'when the host last answered; before its first answer: when it connected' }),
  sessions: Type.Array(RunningSessionSchema),
  commands: Type.Array(ShownCommandSchema),
});
/**
 * @property state    `here`: the host has answered; `slow`: the host is connected, but has not answered in time; `gone`: the host is no
 *                    longer connected. For `slow` and `gone`, the sessions and commands are those of the last answer
 * @property sessions the oldest first. Sessions of which only stopped processes are left come last. If a host has more sessions than
 *                    `MAX_RUNNING_SESSIONS`, the beginning of the list is missing
 */
export type RunningHost = Shape<typeof RunningHostSchema>;

export const RunningListSchema = Type.Object({ hosts: Type.Array(RunningHostSchema) });
/** `id`: the id of a session. */
export const RunningParams = Type.Object({ requesterId: Id, id: Id });
/** `id`: the id of a session or of a grant. */
export const RunningActParams = Type.Object({ requesterId: Id, id: Id, act: literals(...RUNNING_ACTS) });
