/** Limits in words, the same for the command line and the pages. */
import type { Limits } from '../wire/limits.ts';

/** @param nameOf what a requester is called; its id unless told */
export function limitsText(limits: Limits, nameOf: (requesterId: string) => string = (id) => id): string {
  const { requesters, hosts, upTo } = limits;
  const about = requesters === null ? '' : ` of ${listed(requesters.map(nameOf))}`;
  const where = hosts === null ? '' : ` on ${listed(hosts)}`;
  const risk = upTo === 'critical' ? '' : ` up to ${upTo} risk`;
  return `decides requests${about}${where}${risk}`;
}

const listed = (names: readonly string[]): string => (names.length === 0 ? 'nobody' : names.join(', '));
