/** One of the standing grants or policies that cover a line together. */
import { Type } from 'typebox';
import type { Shape } from './schema-parts.ts';

export const CoveredBySchema = Type.Object({ grantId: Type.String(), title: Type.String() });
/** @property grantId of a grant (`g_…`) or of a policy (`p_…`) */
export type CoveredBy = Shape<typeof CoveredBySchema>;
