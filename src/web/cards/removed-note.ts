/** Shows which parts of the history were removed because of their age. */
import { type Html, html } from '../html.ts';
import { momentHtml } from './moments.ts';

/**
 * @property count    how many entries of this class were removed so far
 * @property beforeMs entries before this time were removed (Unix ms)
 */
export interface RemovedShown {
  readonly class: 'requests' | 'uses' | 'events';
  readonly count: number;
  readonly beforeMs: number;
}

const REMOVED_TEXTS = {
  requests: 'requests that were over before',
  uses: 'uses before',
  events: 'other events of the record before',
} as const;

export const removedHtml = (removed: readonly RemovedShown[]): Html =>
  html`${removed.map(
    (entry) =>
      html`<p class="meta removed">Removed because of their age: ${entry.count} ${REMOVED_TEXTS[entry.class]} ${momentHtml(entry.beforeMs)}</p>`,
  )}`;
