/** A grant as the API shows it. */
import { type Grant, stateAt } from '../../core/grant.ts';
import type { GrantView } from '../../core/wire/grant-view.ts';

export const grantView = (grant: Grant, nowMs: number, publicUrl: string): GrantView => ({
  ...grant,
  state: stateAt(grant, nowMs),
  url: `${publicUrl}/grants/${grant.id}`,
});
