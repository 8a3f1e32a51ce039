/** A grant or a policy that covers a command line, alone or together with other grants and policies. */
import { Type } from 'typebox';
import type { Shape } from './schema-parts.ts';
import { PartNumber } from './scope.ts';

export const CoveredBySchema = Type.Object({
  grantId: Type.String(),
  title: Type.String(),
  part: Type.Optional(PartNumber),
});
/**
 * @property grantId the id of a grant (`g_…`) or of a policy (`p_…`)
 * @property title   the scope as a text for people; equal to `grantId` if the scope has no text
 * @property part    the number of the part, if the grant is a plan
 */
export type CoveredBy = Shape<typeof CoveredBySchema>;
