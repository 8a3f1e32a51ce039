/** The outcome of an attempt to send one notification. */
import type { OutgoingAnswer } from './outgoing.ts';

/**
 * - `again`:  another attempt can succeed. `afterMs`: the pause that the service asked for; null: no pause is known
 * - `failed`: another attempt would fail too
 * - `gone`:   the receiver is gone; the channel ends
 */
export type SendOutcome =
  | { readonly kind: 'sent' }
  | { readonly kind: 'again'; readonly why: string; readonly afterMs: number | null }
  | { readonly kind: 'failed' | 'gone'; readonly why: string };

const PASSING: ReadonlySet<number> = new Set([408, 425, 429]);

/**
 * Returns the outcome for an answer of the service.
 * @param goneStatuses the HTTP statuses with which this service says that the receiver is gone
 */
export function outcomeOfAnswer(answer: OutgoingAnswer, goneStatuses: readonly number[] = []): SendOutcome {
  if (answer.kind === 'unreachable') return { kind: 'again', why: answer.why, afterMs: null };
  if (answer.kind === 'refused') return { kind: 'failed', why: answer.why };
  const { status, retryAfterMs } = answer;
  if (status >= 200 && status < 300) return { kind: 'sent' };
  if (goneStatuses.includes(status)) return { kind: 'gone', why: `the receiver is gone (HTTP ${status})` };
  if (status >= 500 || PASSING.has(status)) return { kind: 'again', why: `HTTP ${status}`, afterMs: retryAfterMs };
  if (status >= 300 && status < 400)
    return { kind: 'failed', why: `it redirects (HTTP ${status}), which is not followed` };
  return { kind: 'failed', why: `refused there (HTTP ${status})` };
}
