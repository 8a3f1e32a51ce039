/** The page of standing grants, with a search that needs no script. */
import type { GrantView } from '../../core/wire/grant-view.ts';
import { type DecidedBy, NO_NAMES } from '../cards/decided-by.ts';
import { grantCard, NOTHING_MORE } from '../cards/grant-card.ts';
import { type Html, html } from '../html.ts';
import { type PageFrame, page } from './page-frame.ts';
import { searchQuery } from './search-query.ts';

/**
 * @property text what to search for; empty: every grant
 * @property used `never`: grants that were not used; `today`: grants that were used within the last 24 hours
 */
export interface StandingSearch {
  readonly text: string;
  readonly used: 'any' | 'never' | 'today';
}

/**
 * @property decidedBy who approved each grant, by the id of the grant
 * @property older     the query parameter `before` for the next page; null: this is the last page
 */
export interface StandingView {
  readonly search: StandingSearch;
  readonly grants: readonly GrantView[];
  readonly decidedBy: ReadonlyMap<string, DecidedBy>;
  readonly older: string | null;
}

export function standingPage(frame: PageFrame, { search, grants, decidedBy, older }: StandingView): string {
  const isSearch = search.text !== '' || search.used !== 'any';
  return page(
    frame,
    html`<p class="lead">Under these approvals, requests run without asking again. A request must be exactly as shown, or within the scope of the approval. An approval counts until it ends or you revoke it.</p>
      ${searchHtml(search, isSearch)}
      <div class="cards" data-cards>${grants.map((grant) => grantCard(grant, { ...NOTHING_MORE, decidedBy: decidedBy.get(grant.id) ?? NO_NAMES }))}</div>
      ${older !== null && html`<p><a class="button" href="/standing?${queryOf(search)}before=${older}">Older</a></p>`}
      <div class="empty">${
        isSearch
          ? html`<p class="big">Nothing found.</p>`
          : html`<p class="big">No standing approvals.</p><p>Approve something for a time, or always, and it is listed here.</p>`
      }</div>`,
  );
}

const USED = { any: 'used or not', never: 'never used', today: 'used in the last 24 hours' } as const;

function searchHtml({ text, used }: StandingSearch, isSearch: boolean): Html {
  return html`<form class="search" method="get" action="/standing" role="search"><div class="fields">
        <label class="field">Search <input type="search" name="text" value="${text}" maxlength="200" autocomplete="off" autocapitalize="off" spellcheck="false"></label>
        <label class="field">Use <select name="used">${Object.entries(USED).map(
          ([value, label]) => html`<option value="${value}" ${value === used && html`selected`}>${label}</option>`,
        )}</select></label>
      </div><p class="pair"><button>Search</button>${isSearch && html` <a class="button" href="/standing">All</a>`}</p></form>`;
}

const queryOf = ({ text, used }: StandingSearch): string => searchQuery({ text, used: used === 'any' ? '' : used });
