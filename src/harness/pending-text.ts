/** What the model reads when its file tool waits for a human: what, where it is approved, what to call then. */
import { formatDuration } from '../core/duration.ts';
import { quoteWord } from '../core/quote.ts';
import { visibleLine } from '../core/visible-text.ts';
import type { GrantView } from '../core/wire.ts';

const SHOWN_OPERATIONS = 8;
const SHOWN_WIDTH = 300;

/** @param control how the reader has to call `apes` */
export function pendingToolText(grant: GrantView, isNew: boolean, nowMs: number, control: string): string {
  const operations = grant.request.files ?? [];
  const more = operations.length - SHOWN_OPERATIONS;
  return [
    'ape-shell: NOT DONE YET, and not broken. A human has to approve this tool call first.',
    ...operations.slice(0, SHOWN_OPERATIONS).map(({ verb, path }) => `  ${verb}: ${clip(visibleLine(path))}`),
    ...(more > 0 ? [`  … and ${more} more`] : []),
    `  grant:    ${grant.id} (pending, ${isNew ? 'just asked' : 'asked before'}, lives ${formatDuration(grant.expiresAtMs - nowMs)})`,
    `  approve:  ${grant.url}`,
    `  next:     ${quoteWord(control)} grants watch ${grant.id}   (in the shell tool: one call that ends when it is decided)`,
    '            Then call this same tool again with exactly the same input: approved, it works; denied, it says why.',
    '            Do not ask in another form and do not poll.',
  ].join('\n');
}

const clip = (text: string): string => (text.length > SHOWN_WIDTH ? `${text.slice(0, SHOWN_WIDTH)}…` : text);
