/** The audience of a route is the kind of callers that may use it. A route without a named audience has the audience `approver`. */
import type { Role, Subject } from '../../store/store.ts';
import { type Refusal, refusal } from '../refusal.ts';
import { read, type ServerPorts } from '../server-ports.ts';
import { limitsOf } from './people-rules.ts';

/**
 * - `public`:        every caller
 * - `authenticated`: every caller with a valid token or session
 * - `requester`:     requesters
 * - `reader`:        approvers, auditors and break-glass codes; an approver with limits sees sessions and screens only within the limits
 * - `person`:        approvers and auditors, for their own devices, sign-ins and notifications
 * - `decider`:       approvers and break-glass codes, to decide requests; for this audience, `audienceRefusal` does not check limits
 * - `approver`:      approvers without limits, to manage requesters, policies and people
 */
export type Audience = 'public' | 'authenticated' | 'requester' | 'reader' | 'person' | 'decider' | 'approver';

const ROLES: Readonly<Record<Exclude<Audience, 'public'>, readonly Role[]>> = {
  authenticated: ['requester', 'approver', 'auditor', 'break-glass'],
  requester: ['requester'],
  reader: ['approver', 'auditor', 'break-glass'],
  person: ['approver', 'auditor'],
  decider: ['approver', 'break-glass'],
  approver: ['approver'],
};

/** Whether the subject is an approver or an auditor. */
export const isPerson = ({ role }: Pick<Subject, 'role'>): boolean => ROLES.person.includes(role);

/**
 * Returns null if this subject may use the routes with this audience. For the audience `approver`, also refuses an approver whose limits
 * cannot be read.
 */
export async function audienceRefusal(
  ports: ServerPorts,
  subject: Subject,
  audience: Exclude<Audience, 'public'>,
): Promise<Refusal | null> {
  const { role } = subject;
  if (!ROLES[audience].includes(role)) return refusal('auth.forbidden', WHY_NOT[role]);
  if (audience !== 'approver') return null;
  const limits = await read(ports, async (rows) => limitsOf(rows, subject));
  if (!limits.ok) return limits.failure;
  return limits.value === null
    ? null
    : refusal('auth.forbidden', 'you decide requests within limits; only an approver without limits may do this');
}

const WHY_NOT: Readonly<Record<Role, string>> = {
  requester: 'a requester cannot decide or see this; an approver can',
  approver: 'only a requester may do this',
  auditor: 'an auditor sees everything and changes nothing; ask an approver',
  'break-glass': 'a break-glass code decides requests, and changes nothing else',
};
