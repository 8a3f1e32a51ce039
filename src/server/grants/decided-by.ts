/** Reads the names of the people who approved, denied and revoked grants. */
import type { StoredAuditEvent } from '../../core/grant/audit-event.ts';
import type { GrantView } from '../../core/wire/grant-view.ts';
import type { StoreReader } from '../../store/store.ts';
import { type DecidedBy, NO_NAMES } from '../../web/cards/decided-by.ts';
import { readingOnce } from './past-uses.ts';

type Decided = Pick<GrantView, 'id' | 'state' | 'decidedAtMs' | 'decidedBy' | 'approvals'>;

/** Returns a function that finds the names for a grant. The function reads each person only once: one person often decides many grants. */
export function decidedByIn(rows: StoreReader): (grant: Decided) => Promise<DecidedBy> {
  const { subject } = readingOnce(rows);
  const nameOf = async (id: string | null) => (id === null ? null : ((await subject(id))?.name ?? null));
  const actorOf = async (event: StoredAuditEvent | undefined) => nameOf(event?.actorId ?? null);
  return async ({ id, state, decidedAtMs, decidedBy, approvals }) => {
    if (decidedAtMs === null) return NO_NAMES;
    if (state === 'denied') return { decided: await nameOf(decidedBy), revoked: null };
    const several = approvals === undefined ? null : approvals.given.map(({ name }) => name).join(', ');
    if (state !== 'revoked') return { decided: several ?? (await nameOf(decidedBy)), revoked: null };
    // The row of a revoked grant has the id of only one person. The approver and the revoker are therefore read from the events. If the
    // server itself revoked the grant (after a restore), the grant has no revoker.
    const [approval] = await rows.eventsOf(id, 'grant.approved', 1);
    const [revocation] = await rows.eventsOf(id, 'grant.revoked', 1);
    return { decided: several ?? (await actorOf(approval)), revoked: await actorOf(revocation) };
  };
}

/** Returns the names for a list of grants, by the id of the grant. A grant that is not decided has `NO_NAMES`. */
export async function decidedByOf(
  rows: StoreReader,
  grants: readonly Decided[],
): Promise<ReadonlyMap<string, DecidedBy>> {
  const read = decidedByIn(rows);
  const found = new Map<string, DecidedBy>();
  for (const grant of grants) found.set(grant.id, await read(grant));
  return found;
}
