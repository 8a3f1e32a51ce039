/** Reads a search of the history from the query of a URL. */
import { GRANT_STATES } from '../../core/grant/grant.ts';
import type { HistorySearch } from '../../web/pages/history-page.ts';

/** A field that is missing or has no valid value restricts nothing. */
export function historySearch(query: Readonly<Record<string, unknown>>): HistorySearch {
  const text = (name: string) => (typeof query[name] === 'string' ? query[name].trim().slice(0, 200) : '');
  const state = GRANT_STATES.find((known) => known === text('state')) ?? null;
  return {
    text: text('text'),
    requesterId: text('requester'),
    host: text('host'),
    state,
    from: dayOf(text('from')),
    until: dayOf(text('until')),
  };
}

const dayOf = (text: string): string => (/^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)) ? text : '');
