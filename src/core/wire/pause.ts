/**
 * Pauses of requesters: `POST /v1/requesters/:id/pause`, `…/resume` and `…/revoke`, the same calls for all requesters of a host, and the
 * list of paused requesters.
 */
import { Type } from 'typebox';
import { closed, Milliseconds, nullable, ReasonText, type Shape } from './schema-parts.ts';

export const PauseBodySchema = Type.Object({ reason: Type.Optional(ReasonText) }, closed);

const HostName = Type.String({ pattern: '^[^\\u0000-\\u001f\\u007f]{1,255}$', description: 'as it was enrolled' });

export const HostBodySchema = Type.Object({ host: HostName }, closed);
export const HostPauseBodySchema = Type.Object({ host: HostName, reason: Type.Optional(ReasonText) }, closed);

/** `requesterIds`: all requesters of the host that were not revoked before the call. `changedIds`: the changed requesters. */
export const HostChangeSchema = Type.Object({
  host: Type.String(),
  requesterIds: Type.Array(Type.String()),
  changedIds: Type.Array(Type.String()),
});
export type HostChange = Shape<typeof HostChangeSchema>;

/** `GET /v1/pauses`: the oldest pause first. `reason` is empty if the approver gave no reason. */
export const PauseListSchema = Type.Object({
  pauses: Type.Array(
    Type.Object({
      requesterId: Type.String(),
      sinceMs: Milliseconds,
      byId: nullable(Type.String({ description: 'null: a limit paused the requester' })),
      reason: Type.String(),
    }),
  ),
});
export type PauseView = Shape<typeof PauseListSchema>['pauses'][number];
