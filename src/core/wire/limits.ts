/** The limits of an approver. */
import { Type } from 'typebox';
import { closed, Id, list, literals, nullable, type Shape } from './schema-parts.ts';

/** The most requesters, and the most hosts, that one limit may name. */
export const MAX_NAMED = 200;

const RiskSchema = literals('low', 'medium', 'high', 'critical');
const HostName = Type.String({ minLength: 1, maxLength: 253 });

export const LimitsSchema = Type.Object(
  {
    requesters: nullable(list(Id, MAX_NAMED)),
    hosts: nullable(list(HostName, MAX_NAMED)),
    upTo: RiskSchema,
  },
  closed,
);
/**
 * What an approver may decide. An opaque line counts as critical.
 * @property requesters ids; null: every requester
 * @property hosts      the host names in the requests; null: every host
 */
export type Limits = Shape<typeof LimitsSchema>;
