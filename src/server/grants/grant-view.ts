/** A grant as the API shows it. */
import { stateAt } from '../../core/grant.ts';
import type { GrantView } from '../../core/wire/grant-view.ts';
import type { ListedGrant } from '../../store/listed-request.ts';

export const grantView = (grant: ListedGrant, nowMs: number, publicUrl: string): GrantView => ({
  ...grant,
  state: stateAt(grant, nowMs),
  url: `${publicUrl}/grants/${grant.id}`,
});
