/**
 * The outcome of a request that is not refused.
 * - `approversSequence`: the number of the newest list of approvers; null if `use.seals` is null
 * - `filed`: whether this call has filed the grant; false: the same request was already waiting
 * - `match`: the number that the approver has to pick; null if the approver needs no number
 */
import type { Grant } from '../../core/grant/grant.ts';
import type { Use } from './use.ts';

export type AskOutcome =
  | { readonly kind: 'permitted'; readonly use: Use; readonly approversSequence: number | null }
  /** The host has to send host facts first. Nothing was filed or recorded. */
  | { readonly kind: 'wants-findings' }
  | { readonly kind: 'pending'; readonly filed: boolean; readonly grant: Grant; readonly match: string | null };
