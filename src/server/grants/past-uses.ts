/** Reads the lines that had no request of their own. Each entry names the approvals or policies that allowed or forbade the line. */
import type { StoredAuditEvent } from '../../core/grant/audit-event.ts';
import { scopeTitle } from '../../core/scope/scope-title.ts';
import { newReadOnce } from '../../store/read-once.ts';
import type { StoreReader } from '../../store/store.ts';
import type { PastUse } from '../../web/cards/use-row.ts';
import type { PlacedUse } from './history-place.ts';
import { policyTitle } from './policy-view.ts';

/**
 * Makes the entries, the newest first. Leaves out the events without a line, because the page of the grant shows these events. The events
 * without a line are:
 * - a use of a grant for the grant's own request
 * - a file operation that a scope of the grant covers
 * @param events the newest first
 */
export async function pastUses(lookUp: LookUp, events: readonly StoredAuditEvent[]): Promise<readonly PlacedUse[]> {
  const found = new Map<string, PlacedUse>();
  for (const event of events) {
    const line = event.facts['line'];
    if (typeof line !== 'string') continue;
    const use = { ...(await pastUseOf(lookUp, event, line)), seq: event.seq };
    // Each approval that contributed to a use has an event of its own. Together these events are one entry.
    const key = `${event.atMs} ${event.facts['fingerprint']} ${event.actorId}`;
    const earlier = found.get(key);
    found.set(key, earlier === undefined ? use : { ...earlier, seq: use.seq, by: [...use.by, ...earlier.by] });
  }
  return [...found.values()];
}

export type LookUp = Pick<StoreReader, 'subject' | 'grant' | 'policy'>;

/** Reads each row only once: many uses belong to the same grant. */
export function readingOnce(rows: StoreReader): LookUp {
  const readOnce = newReadOnce();
  return {
    subject: (id) => readOnce(`subject ${id}`, () => rows.subject(id)),
    grant: (id) => readOnce(`grant ${id}`, () => rows.grant(id)),
    policy: (id) => readOnce(`policy ${id}`, () => rows.policy(id)),
  };
}

async function pastUseOf(rows: LookUp, event: StoredAuditEvent, line: string): Promise<PastUse> {
  const requester = event.actorId === null ? undefined : await rows.subject(event.actorId);
  return {
    atMs: event.atMs,
    line,
    requesterId: event.actorId,
    requesterName: requester?.name ?? '?',
    host: requester?.host ?? '',
    hasRun: event.kind !== 'policy.vetoed',
    by: [await reasonOf(rows, event)],
  };
}

async function reasonOf(rows: LookUp, { grantId, facts }: StoredAuditEvent): Promise<PastUse['by'][number]> {
  if (grantId !== null) {
    const grant = await rows.grant(grantId);
    return { grantId, title: grant?.scope ? scopeTitle(grant.scope) : grantId };
  }
  const policyId = String(facts['policyId'] ?? '');
  const policy = await rows.policy(policyId);
  return { grantId: null, title: policy === undefined ? policyId : policyTitle(policy) };
}
