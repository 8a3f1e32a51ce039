/** Describes limits and quorums in words. The command line and the pages use the same text. */
import { RISKS } from '../effects/permission.ts';
import type { Limits } from '../wire/limits.ts';
import type { Quorum } from '../wire/people.ts';
import { approvalsNeeded } from './may-decide.ts';

/**
 * Returns, for example, `decides requests of ci on web up to medium risk`.
 * @param nameOf returns the name of a requester; default: the id
 */
export function limitsText(limits: Limits, nameOf: (requesterId: string) => string = (id) => id): string {
  const { requesters, hosts, upTo } = limits;
  const about = requesters === null ? '' : ` of ${listed(requesters.map(nameOf))}`;
  const where = hosts === null ? '' : ` on ${listed(hosts)}`;
  const risk = upTo === 'critical' ? '' : ` up to ${upTo} risk`;
  return `decides requests${about}${where}${risk}`;
}

const listed = (names: readonly string[]): string => (names.length === 0 ? 'none' : names.join(', '));

/** Says how many people have to approve at each risk, for example `low 1, medium 1, high 2, critical 2`. */
export const quorumText = (quorum: Quorum): string =>
  RISKS.map((risk) => `${risk} ${approvalsNeeded(quorum, risk)}`).join(', ');
