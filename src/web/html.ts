/** The template tag `html` escapes each value that is not an `Html`. */

export class Html {
  readonly text: string;
  /** Does not escape `text`, so callers pass only escaped or constant text. */
  constructor(text: string) {
    this.text = text;
  }
}

export type HtmlPart = Html | string | number | null | undefined | false | readonly HtmlPart[];

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Replaces special characters by entities. The result is safe between tags and inside quoted attributes. */
export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');

/** Joins the parts of a template. Null, undefined and false give no text; an array gives the texts of its parts. */
export function html(strings: TemplateStringsArray, ...parts: readonly HtmlPart[]): Html {
  return new Html(strings.reduce((text, string, index) => `${text}${render(parts[index - 1])}${string}`));
}

function render(part: HtmlPart): string {
  if (part instanceof Html) return part.text;
  if (Array.isArray(part)) return part.map(render).join('');
  if (part === null || part === undefined || part === false) return '';
  return escapeHtml(String(part));
}
