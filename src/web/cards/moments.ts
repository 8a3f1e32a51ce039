/**
 * Shows times and sizes on a page. Without the script, the page shows each time in UTC. The script rewrites the times for the reader's
 * time zone.
 */
import { type Html, html } from '../html.ts';

const iso = (ms: number) => new Date(ms).toISOString();
const readable = (ms: number) => `${iso(ms).slice(0, 16).replace('T', ' ')} UTC`;

/** Shows a moment in the past. The script writes `3 min ago` instead, and updates this text. */
export const ageHtml = (ms: number): Html =>
  html`<time datetime="${iso(ms)}" data-since-ms="${ms}">${readable(ms)}</time>`;

/** Shows a moment in the future. The script writes `in 1 d 23 h` or `in 12 min 5 s` instead, and counts down to `now`. */
export const countdownHtml = (ms: number): Html =>
  html`<time datetime="${iso(ms)}" data-until-ms="${ms}">on ${readable(ms)}</time>`;

/** Shows a date and a time of day. */
export const momentHtml = (ms: number): Html =>
  html`<time datetime="${iso(ms)}" data-at-ms="${ms}">${readable(ms)}</time>`;

/** Writes a size with powers of 1,000: `512 B`, `1.0 MB`. */
export function sizeText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  return bytes < 999_950 ? `${(bytes / 1_000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
