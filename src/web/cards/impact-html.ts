/** Shows the impact preview: what a line would touch right now, as its host reported. An approver should not rely on the preview. */
import type { Impact } from '../../core/impact/impact.ts';
import { textOfImpact } from '../../core/impact/touched-text.ts';
import { type Html, html } from '../html.ts';
import { lineHtml, shortHtml } from '../visible-html.ts';
import { sizeText } from './moments.ts';

const NUMBER = new Intl.NumberFormat('en');

/** Returns null if there is nothing to show: the host sent no preview, or an empty preview. */
export function impactHtml(impact: readonly Impact[] | null, host: string): Html | null {
  if (impact === null || impact.length === 0) return null;
  return html`<section class="touches"><h2>Touches right now</h2>
      <ul>${impact.map(impactItemHtml)}</ul>
      <p class="hint">Reported by ${lineHtml(host)} with the request, without running anything.</p>
    </section>`;
}

function impactItemHtml(touched: Impact): Html {
  const { count, bytes, items, isCut, note } = touched;
  const number =
    count === null
      ? html`<strong>Not known:</strong>`
      : html`<strong>${isCut && 'more than '}${NUMBER.format(count)}</strong>`;
  const more = count === null ? 0 : count - items.length;
  return html`<li class="touched"><p>${number} ${shortHtml(textOfImpact(touched), 200)}${bytes !== null && bytes > 0 && html`, <strong>${sizeText(bytes)}</strong>`}</p>
      ${items.length > 0 && html`<ul class="items">${items.map((item) => html`<li><code>${shortHtml(item, 160)}</code></li>`)}${more > 0 && html`<li class="more">and ${NUMBER.format(more)} more</li>`}</ul>`}
      ${note !== null && html`<p class="hint">${shortHtml(note, 300)}</p>`}
    </li>`;
}
