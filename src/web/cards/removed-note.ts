/** What the history does not show any more because it is older than the server keeps it. */
import { type Html, html } from '../html.ts';
import { momentHtml } from './moments.ts';

/** @property count of all that was ever removed of this class */
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
      html`<p class="meta removed">Removed, as this server keeps no longer: ${one.count} ${SAID[one.class]} ${momentHtml(one.beforeMs)}</p>`,
  )}`;
