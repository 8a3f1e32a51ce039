/**
 * How a request that is not refused ends for now.
 * `match`: the number that its approver has to pick; null where a tap alone approves
 */
import type { Grant } from '../../core/grant/grant.ts';
import type { Use } from './use.ts';

export type AskOutcome =
  | { readonly kind: 'permitted'; readonly use: Use; readonly approversSequence: number | null }
  /** Nothing was filed, and nothing recorded. */
  | { readonly kind: 'wants-findings' }
  | { readonly kind: 'pending'; readonly filed: boolean; readonly grant: Grant; readonly match: string | null };
