/** Text from outside, as HTML in which nothing acts and nothing hides. */
import { type TextSegment, visibleSegments } from '../core/visible-text.ts';
import { escapeHtml, Html, html } from './html.ts';

const TITLE: Readonly<Record<string, string>> = {
  control: 'control character',
  bidi: 'changes the reading direction',
  invisible: 'invisible character',
};

/** Every character of the text: line breaks break lines, tabs are drawn, the rest that cannot be seen becomes a mark. */
export function visibleHtml(text: string): Html {
  return new Html(visibleSegments(text).map(segmentHtml).join(''));
}

function segmentHtml({ kind, text, label }: TextSegment): string {
  if (kind === 'plain' || kind === 'newline') return escapeHtml(text);
  if (kind === 'tab') return `<span class="tab">${text}</span>`;
  return `<mark class="${kind}" title="${TITLE[kind]}">${label}</mark>`;
}

/** The beginning of a text on one line, for lists; says so when there is more. */
export function shortHtml(text: string, most = 160): Html {
  const characters = Array.from(text.slice(0, most * 2));
  const isCut = characters.length > most || text.length > most * 2;
  const shown = visibleSegments(characters.slice(0, most).join('')).map((segment) =>
    segment.kind === 'plain' ? escapeHtml(segment.text) : `<mark class="${segment.kind}">${segment.label}</mark>`,
  );
  return html`${new Html(shown.join(''))}${isCut && html`<span class="more"> … and more</span>`}`;
}
