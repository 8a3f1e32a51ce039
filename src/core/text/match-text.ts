/** The two-digit number that the requester's side shows and the approver picks. */
import type { GrantView } from '../wire/grant-view.ts';

/** Returns null if the approver need not pick a number. Also null if `match` is not two digits: such a text must not reach the terminal. */
export const matchNumber = ({ match }: Pick<GrantView, 'match'>): string | null =>
  match !== undefined && /^[0-9]{2}$/.test(match) ? match : null;

/** Returns the text to add to the address of the approval page: ` (the approver picks 47)`, or nothing. */
export function matchSuffix(grant: Pick<GrantView, 'match'>): string {
  const number = matchNumber(grant);
  return number === null ? '' : ` (the approver picks ${number})`;
}
