/** `GET /v1/requesters/:id/reading-evidence`: the directories in which a requester has made requests that only read. */
import { Type } from 'typebox';
import type { Shape } from './schema-parts.ts';

const ReadingDirectorySchema = Type.Object({
  directory: Type.String(),
  count: Type.Integer(),
  samples: Type.Array(Type.String()),
  environmentOf: Type.String(),
});
/**
 * @property directory     the repository of requests that only read; for requests outside of a repository, their working directory
 * @property count         the number of examined requests that only read and that a policy for this directory would cover
 * @property samples       the texts of at most five of these requests
 * @property environmentOf the value for `PolicyBody.environmentOf`: the id of the grant for the newest request that only read here
 */
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
 * @property directories the directories with the highest `count`, the highest first; at most 10
 */
export type ReadingEvidence = Shape<typeof ReadingEvidenceSchema>;
