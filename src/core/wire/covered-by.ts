/** One of the standing grants or policies that cover a line together. */
import { Type } from 'typebox';
import type { Shape } from './schema-parts.ts';
import { PartNumber } from './scope.ts';

export const CoveredBySchema = Type.Object({
  grantId: Type.String(),
  title: Type.String(),
  part: Type.Optional(PartNumber),
});
/**
 * @property grantId of a grant (`g_…`) or of a policy (`p_…`)
 * @property part    the part of a plan; absent: the grant is no plan
 */
export type CoveredBy = Shape<typeof CoveredBySchema>;
