/**
 * `GET /v1/sessions` returns the live sessions on the server's own host. `GET /v1/sessions/:id` returns one live session.
 * `core/message/session-view.ts` explains the members of a session.
 */
import { Type } from 'typebox';
import { ACTIVITY_STATES } from '../message/session-view.ts';
import { literals, nullable } from './schema-parts.ts';

const Count = Type.Integer({ minimum: 0 });

export const SessionViewSchema = Type.Object({
  id: Type.String(),
  name: nullable(Type.String()),
  kind: literals('shell', 'program'),
  pid: Type.Integer(),
  program: Type.Array(Type.String()),
  cwd: Type.String(),
  harness: nullable(Type.String()),
  state: nullable(literals(...ACTIVITY_STATES)),
  title: Type.String(),
  columns: Count,
  rows: Count,
  startedAtMs: Count,
  idleMs: Count,
  watchers: Count,
  pendingGrant: nullable(Type.String()),
});

export const SessionListSchema = Type.Object({ sessions: Type.Array(SessionViewSchema) });
export const SessionParams = Type.Object({ id: Type.String({ pattern: '^s_[0-9a-f]{20}$' }) });
