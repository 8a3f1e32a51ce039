/** Says which people have approved a request, and how many more people have to approve it. */
import type { Approvals } from '../wire/approvals.ts';

/** `1 of 2: Ada approved; one more person has to approve`. Expects at least one approval in `given`. */
export function approvalsText({ needed, given }: Approvals): string {
  const names = given.map(({ name }) => name).join(', ');
  const more = needed - given.length;
  const rest = more <= 0 ? '' : `; ${more === 1 ? 'one more person has' : `${more} more people have`} to approve`;
  return `${given.length} of ${needed}: ${names} approved${rest}`;
}
