/** `GET /v1/requesters/:id/reading-evidence`: the directories in which past requests of a requester only read. */
import { Type } from 'typebox';
import type { Shape } from './schema-parts.ts';

const ReadingDirectorySchema = Type.Object({
  directory: Type.String(),
  count: Type.Integer(),
  samples: Type.Array(Type.String()),
  environmentOf: Type.String(),
});
/** @property environmentOf the id of the grant of the newest of these requests, for `PolicyBody` */
export type ReadingDirectory = Shape<typeof ReadingDirectorySchema>;

export const ReadingEvidenceSchema = Type.Object({
  requesterId: Type.String(),
  requesterName: Type.String(),
  of: Type.Integer(),
  reading: Type.Integer(),
  directories: Type.Array(ReadingDirectorySchema),
});
/**
 * @property of          how many requests were examined: the newest requests that have host facts
 * @property reading     how many of the examined requests only read
 * @property directories the directories in which these requests read, the most frequent first
 */
export type ReadingEvidence = Shape<typeof ReadingEvidenceSchema>;
