/** Makes the row of a line that has no request of its own: a grant or a policy covered the line, or a policy forbade it. */
import { type Html, html } from '../html.ts';
import { lineHtml, shortHtml, visibleHtml } from '../visible-html.ts';
import { ageHtml } from './moments.ts';

/**
 * @property requesterId null: the record does not say who asked
 * @property hasRun      false: a policy forbade the line
 * @property by          the grants and policies that together covered the line, or the policy that forbade the line. `grantId` is null for
 *                       a policy
 */
export interface PastUse {
  readonly atMs: number;
  readonly line: string;
  readonly requesterId: string | null;
  readonly requesterName: string;
  readonly host: string;
  readonly hasRun: boolean;
  readonly by: readonly { readonly grantId: string | null; readonly title: string }[];
}

export function useRow({ atMs, line, requesterName, hasRun, by }: PastUse): Html {
  const badge = hasRun ? html`<span class="badge used">Ran</span>` : html`<span class="badge denied">Refused</span>`;
  return html`<li class="row use">
    <p><code>${shortHtml(line)}</code></p>
    <p class="meta">${badge} ${visibleHtml(requesterName)} · ${ageHtml(atMs)}</p>
    ${by.map(
      ({ grantId, title }) =>
        html`<p class="meta">${grantId === null ? html`by the rule ${lineHtml(title)}` : html`by <a href="/grants/${grantId}">${lineHtml(title)}</a>`}</p>`,
    )}
  </li>`;
}
