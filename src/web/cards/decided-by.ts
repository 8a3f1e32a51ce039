/** Shows who decided about a request, on its card and in the lists. */
import type { GrantView } from '../../core/wire/grant-view.ts';
import { type Html, html } from '../html.ts';
import { visibleHtml } from '../visible-html.ts';

/**
 * The names of the people who changed a grant; null: no person did, or the person is not known. A person who used a break-glass code
 * appears under the name of the code. If several people approved, `decided` has all their names, separated by commas.
 * @property decided who approved or denied the request
 * @property revoked who revoked the approval
 */
export interface DecidedBy {
  readonly decided: string | null;
  readonly revoked: string | null;
}

export const NO_NAMES: DecidedBy = { decided: null, revoked: null };

export const byHtml = (name: string | null): Html | null => (name === null ? null : html` by ${visibleHtml(name)}`);

/** Makes ` · revoked by Grace, approved by Ada`; null if no name is known. */
export function decidedByHtml({ state }: GrantView, { decided, revoked }: DecidedBy): Html | null {
  const verb = state === 'denied' ? 'denied' : 'approved';
  const parts = [
    ...(revoked === null ? [] : [html`revoked${byHtml(revoked)}`]),
    ...(decided === null ? [] : [html`${verb}${byHtml(decided)}`]),
  ];
  return parts.length === 0 ? null : html` · ${parts[0]}${parts[1] !== undefined && html`, ${parts[1]}`}`;
}
