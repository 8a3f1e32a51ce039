/** `GET /v1/requesters/:id/reading-evidence`: in which directories a requester has only read so far. */
import { Type } from 'typebox';
import type { Shape } from './schema-parts.ts';

const ReadingDirectorySchema = Type.Object({
  directory: Type.String(),
  count: Type.Integer(),
  samples: Type.Array(Type.String()),
  environmentOf: Type.String(),
});
/** @property environmentOf the grant's id of the newest of those requests, for `PolicyBody` */
export type ReadingDirectory = Shape<typeof ReadingDirectorySchema>;

export const ReadingEvidenceSchema = Type.Object({
  requesterId: Type.String(),
  requesterName: Type.String(),
  of: Type.Integer(),
  reading: Type.Integer(),
  directories: Type.Array(ReadingDirectorySchema),
});
/**
 * @property of          how many requests were examined: the newest ones with host facts
 * @property reading     how many of them only read
 * @property directories in which these requests read, the most frequent first
 */
export type ReadingEvidence = Shape<typeof ReadingEvidenceSchema>;
