/** Says which parts of the history were removed, because they are older than the server keeps them. */
import { type Html, html } from '../html.ts';
import { momentHtml } from './moments.ts';

/** @property count how many were ever removed of this class */
export interface RemovedShown {
  readonly class: 'requests' | 'uses' | 'events';
  readonly count: number;
  readonly beforeMs: number;
}

const SAID = {
  requests: 'requests that were over before',
  uses: 'uses before',
  events: 'other events of the record before',
} as const;

export const removedHtml = (removed: readonly RemovedShown[]): Html =>
  html`${removed.map(
    (one) =>
      html`<p class="meta removed">Removed, because this server does not keep them longer: ${one.count} ${SAID[one.class]} ${momentHtml(one.beforeMs)}</p>`,
  )}`;
