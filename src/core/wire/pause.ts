/** `POST /v1/requesters/:id/pause`, `…/resume` and `…/revoke`, and the list of paused requesters. */
import { Type } from 'typebox';
import { closed, Milliseconds, nullable, ReasonText, type Shape } from './schema-parts.ts';

export const PauseBodySchema = Type.Object({ reason: Type.Optional(ReasonText) }, closed);

export const PauseListSchema = Type.Object({
  pauses: Type.Array(
    Type.Object({
      requesterId: Type.String(),
      sinceMs: Milliseconds,
      byId: nullable(Type.String({ description: 'null: a limit paused it' })),
      reason: Type.String(),
    }),
  ),
});
export type PauseView = Shape<typeof PauseListSchema>['pauses'][number];
