/** How a request ends for now. */
import type { Grant } from '../../core/grant.ts';
import type { Refusal } from '../refusal.ts';
import type { Use } from './use.ts';

export type AskOutcome =
  | { readonly kind: 'permitted'; readonly use: Use }
  /** Nothing was filed, and nothing recorded. */
  | { readonly kind: 'wants-findings' }
  | { readonly kind: 'pending'; readonly filed: boolean; readonly grant: Grant }
  | RefusedOutcome;

export interface RefusedOutcome {
  readonly kind: 'refused';
  readonly refusal: Refusal;
}
