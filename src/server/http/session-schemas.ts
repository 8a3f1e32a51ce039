/** The shapes of live sessions, and of messages into them, as schemas. */
import { type Static, Type } from 'typebox';
import type { SendReport } from '../../core/send-outcome.ts';
import type { SessionView } from '../../core/session-view.ts';
import type { Same } from './schema-parts.ts';

const nullable = <T extends import('typebox').TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const Way = Type.Union([Type.Literal('api'), Type.Literal('keys')]);
const Count = Type.Integer({ minimum: 0 });

export const SessionViewSchema = Type.Object({
  id: Type.String(),
  name: nullable(Type.String()),
  kind: Type.Union([Type.Literal('shell'), Type.Literal('program')]),
  pid: Type.Integer(),
  program: Type.Array(Type.String()),
  cwd: Type.String(),
  harness: nullable(Type.String()),
  state: nullable(
    Type.Union([
      Type.Literal('active'),
      Type.Literal('idle'),
      Type.Literal('waiting_input'),
      Type.Literal('blocked'),
      Type.Literal('exited'),
    ]),
  ),
  title: Type.String(),
  columns: Count,
  rows: Count,
  startedAtMs: Count,
  idleMs: Count,
  watchers: Count,
  pendingGrant: nullable(Type.String()),
});

export const SendReportSchema = Type.Object({
  result: Type.Union([
    Type.Literal('submitted'),
    Type.Literal('delivered'),
    Type.Literal('awaiting-decision'),
    Type.Literal('busy'),
    Type.Literal('draft-present'),
    Type.Literal('not-taken'),
    Type.Literal('terminated'),
    Type.Literal('not-found'),
    Type.Literal('unknown'),
  ]),
  code: Type.String(),
  why: Type.String(),
  enters: Count,
  isDraftLeft: Type.Boolean(),
  via: nullable(Way),
});

const ViaSchema = Type.Optional({
  ...Way,
  description: "the only way to use; without it the agent's own message API where there is one, else keys",
});

/** `message` is required; that it is missing has a code of its own, so the schema lets it pass. */
export const SendBodySchema = Type.Object(
  {
    message: Type.Optional(Type.String({ description: '1 to 32,768 bytes of UTF-8; required' })),
    waitIdleMs: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 60_000,
        description: 'how long to wait until its turn is over; 0 unless told',
      }),
    ),
    via: ViaSchema,
  },
  { additionalProperties: false },
);
export const NudgeBodySchema = Type.Object(
  {
    message: Type.Optional(Type.String({ description: '1 to 32,768 bytes of UTF-8; required' })),
    via: ViaSchema,
  },
  { additionalProperties: false },
);
export type SendBody = Static<typeof SendBodySchema>;

/** Compiles only while the schemas and the types say the same, both ways. */
void [
  true satisfies Same<Static<typeof SessionViewSchema>, SessionView>,
  true satisfies Same<Static<typeof SendReportSchema>, SendReport>,
];
