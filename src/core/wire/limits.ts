/** The limits of an approver: which requests the approver may decide. */
import { Type } from 'typebox';
import { closed, Id, list, literals, nullable, type Shape } from './schema-parts.ts';

/** The limits of one approver may name at most this number of requesters, and at most this number of hosts. */
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
 * @property upTo       the highest risk that the approver may decide. An unknown risk counts as critical, for example the risk of an opaque
 *                      line
 */
export type Limits = Shape<typeof LimitsSchema>;
