/**
 * Uses standing grants for several calls together, in three steps: one read, a decision, and one write. The write counts a use only if
 * nothing except other uses has changed the grant since the read. So no lock is needed between the read and the write.
 */
import type { AuditEvent } from '../core/grant/audit-event.ts';
import type { Grant } from '../core/grant/grant.ts';
import type { Execute } from './prepared-query.ts';
import type { EventMark, StoreWriter } from './store.ts';

export interface SameRequest {
  readonly requesterId: string;
  readonly fingerprint: string;
}

/** A key for maps. Two requests have the same key if they have the same requester and the same bytes. */
export const requestKey = ({ requesterId, fingerprint }: SameRequest): string => `${requesterId}/${fingerprint}`;

/**
 * @property requests  at least one; no request is in the list twice
 * @property after     the mark of the last event that the caller knows
 */
export interface StandingQuestion {
  readonly requests: readonly SameRequest[];
  readonly after: EventMark;
  readonly nowMs: number;
}

/**
 * What the database contained at one moment.
 * @property hasChanges whether standing grants or policies have possibly changed after the event `StandingQuestion.after`; true if the
 *                      database does not have this event
 * @property stopped    ids of the requesters that are paused or revoked
 * @property grants     the approved and live grants for exactly these requests
 * @property approversSequence the sequence number of the newest list of approvers; 0 if there is no list
 */
export interface StandingFacts {
  readonly hasChanges: boolean;
  readonly stopped: ReadonlySet<string>;
  readonly grants: readonly Grant[];
  readonly approversSequence: number;
}

/**
 * @property grant  the grant after these uses
 * @property uses   how many uses to add. The uses are counted if the stored grant has the version `grant.version - uses`. PostgreSQL also
 *                  counts the uses if only other uses have changed the grant since the read
 * @property events the events of these uses, in order. In the facts of each event, `uses` is the number of this use among all uses of the
 *                  grant. If other uses were counted since the read, PostgreSQL corrects this number
 */
export interface UsedGrant {
  readonly grant: Grant;
  readonly uses: number;
  readonly events: readonly AuditEvent[];
}

/** Decides which grants are used. May run again, so it must not change anything. Must return no grant twice. */
export type DecideUses<T> = (facts: StandingFacts) => { readonly used: readonly UsedGrant[]; readonly value: T };

/**
 * @property counted ids of the grants whose uses are on record. A grant is missing if one of these things happened after the read:
 *                   - another call locked the grant, or changed the grant other than by a use
 *                   - the requester was paused or revoked
 *                   - scopes, policies or the list of approvers changed
 */
export interface CountedUses<T> {
  readonly value: T;
  readonly counted: ReadonlySet<string>;
}

/**
 * Uses standing grants.
 * @param execute runs a statement outside of a transaction
 */
export type UseStanding = <T>(
  execute: Execute,
  question: StandingQuestion,
  decide: DecideUses<T>,
) => Promise<CountedUses<T>>;

/** For a database in this process: reads, decides and writes in the caller's transaction. Other writers wait for the transaction's end. */
export async function useInTransaction<T>(
  rows: StoreWriter,
  { requests, after, nowMs }: StandingQuestion,
  decide: DecideUses<T>,
): Promise<CountedUses<T>> {
  const stopped = new Set<string>();
  const grants: Grant[] = [];
  for (const { requesterId, fingerprint } of requests) {
    const isRevoked = (await rows.subject(requesterId))?.revokedAtMs !== null;
    if (isRevoked || (await rows.pause(requesterId)) !== undefined) stopped.add(requesterId);
    grants.push(...(await rows.coveringGrants(requesterId, fingerprint, nowMs)));
  }
  const hasChanges = (await rows.standingChanges(after))?.length !== 0;
  const { used, value } = decide({ hasChanges, stopped, grants, approversSequence: await rows.approversSequence() });
  const counted = new Set<string>();
  for (const { grant, uses, events } of used) {
    if (!(await rows.countUses(grant, uses))) continue;
    counted.add(grant.id);
    for (const event of events) rows.record(event);
  }
  return { value, counted };
}
