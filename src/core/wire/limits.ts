/** The limits of an approver: which requests the approver may decide. */
import { Type } from 'typebox';
import { closed, Id, list, literals, nullable, type Shape } from './schema-parts.ts';

/** The most requesters, and the most hosts, that the limits of one approver may name. */
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
 * @property requesters ids of requesters; null: every requester; an empty list: no requester
 * @property hosts      names of hosts, compared with the `host` of a request; null: every host; an empty list: no host
 * @property upTo       the highest risk that the approver may decide. An unknown risk, such as that of an opaque line, counts as critical
 */
export type Limits = Shape<typeof LimitsSchema>;
