/** The number that an approver has to pick, as the requester's side shows it. */
import type { GrantView } from '../wire/grant-view.ts';

/** Null where no number has to be picked; anything but two digits is not shown. */
export const matchNumber = ({ match }: Pick<GrantView, 'match'>): string | null =>
  match !== undefined && /^[0-9]{2}$/.test(match) ? match : null;

/** ` (the approver picks 47)` behind the address of a page on which an approver decides. */
export function matchSuffix(grant: Pick<GrantView, 'match'>): string {
  const number = matchNumber(grant);
  return number === null ? '' : ` (the approver picks ${number})`;
}
