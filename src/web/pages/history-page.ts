/** Makes the page *History*: requests, and lines that ran or were refused without a request. The search on this page needs no script. */
import type { GrantState } from '../../core/grant/grant.ts';
import { GRANT_STATES } from '../../core/grant/grant.ts';
import { momentHtml } from '../cards/moments.ts';
import { type RemovedShown, removedHtml } from '../cards/removed-note.ts';
import { type Html, html } from '../html.ts';
import { visibleHtml } from '../visible-html.ts';
import { type PageFrame, page } from './page-frame.ts';
import { searchQuery } from './search-query.ts';

/**
 * A search of the history. A member that is empty or null restricts nothing.
 * @property host  a part of the name of the host; case does not matter
 * @property from  the first day, in UTC: `2026-11-23`
 * @property until the last day, in UTC; the search includes this day
 */
export interface HistorySearch {
  readonly text: string;
  readonly requesterId: string;
  readonly host: string;
  readonly state: GrantState | null;
  readonly from: string;
  readonly until: string;
}

/**
 * @property rows           the newest first
 * @property older          the value of `before` in the URL of the next page; null: this is the last page
 * @property lookedBackToMs how far back the search has read (Unix ms), if the search ended before the page was full; else null
 * @property removed        how many entries were removed because of their age; only the last page shows this
 * @property requesters     the requesters to choose from
 */
export interface HistoryView {
  readonly search: HistorySearch;
  readonly rows: readonly Html[];
  readonly older: string | null;
  readonly lookedBackToMs: number | null;
  readonly removed: readonly RemovedShown[];
  readonly requesters: readonly { readonly id: string; readonly name: string; readonly host: string | null }[];
}

export function historyPage(
  frame: PageFrame,
  { search, rows, older, lookedBackToMs, removed, requesters }: HistoryView,
): string {
  const isSearch = queryOf(search) !== '';
  return page(
    frame,
    html`${searchHtml(search, requesters, isSearch)}
      <ul class="rows" data-rows>${rows}</ul>
      ${lookedBackToMs !== null && html`<p class="hint" role="status">Looked back to ${momentHtml(lookedBackToMs)}; older entries were not searched.</p>`}
      ${older !== null && html`<p><a class="button" href="/history?${queryOf(search)}before=${older}">${lookedBackToMs === null ? 'Older' : 'Look further back'}</a></p>`}
      ${older === null && removedHtml(removed)}
      <div class="empty"><p class="big">${isSearch ? 'Nothing found.' : 'Nothing yet.'}</p></div>`,
  );
}

function searchHtml(search: HistorySearch, requesters: HistoryView['requesters'], isSearch: boolean): Html {
  const { text, requesterId, host, state, from, until } = search;
  return html`<form class="search" method="get" action="/history" role="search">
      <label class="field wide">Search <input type="search" name="text" value="${text}" maxlength="200" placeholder="a command, a path, a reason" autocomplete="off" autocapitalize="off" spellcheck="false"></label>
      <details ${isSearch && html`open`}><summary>More</summary><div class="fields">
        <label class="field">Requester <select name="requester"><option value="">all</option>${requesters.map(
          (one) =>
            html`<option value="${one.id}" ${one.id === requesterId && html`selected`}>${visibleHtml(one.name)}</option>`,
        )}</select></label>
        <label class="field">Host <input type="text" name="host" value="${host}" maxlength="200" autocomplete="off" autocapitalize="off"></label>
        <label class="field">State <select name="state"><option value="">all</option>${GRANT_STATES.map(
          (one) => html`<option value="${one}" ${one === state && html`selected`}>${one}</option>`,
        )}</select></label>
        <label class="field">From <input type="date" name="from" value="${from}"></label>
        <label class="field">Until <input type="date" name="until" value="${until}"></label>
      </div></details>
      <p class="pair"><button>Search</button>${isSearch && html` <a class="button" href="/history">All</a>`}</p>
    </form>`;
}

/** Returns the search as a URL query that ends with `&`; empty if no member restricts the search. */
function queryOf({ text, requesterId, host, state, from, until }: HistorySearch): string {
  return searchQuery({ text, requester: requesterId, host, state: state ?? '', from, until });
}
