/**
 * Uses of standing grants by the calls of one moment: one look at everything that they depend on, a decision, and one write. The
 * write names the version of each grant that the look found, so no lock has to be held in between.
 */
import type { AuditEvent } from '../core/grant/audit-event.ts';
import type { Grant } from '../core/grant/grant.ts';
import type { StoreWriter } from './store.ts';

export interface SameRequest {
  readonly requesterId: string;
  readonly fingerprint: string;
}

/**
 * @property requests  at least one, none twice
 * @property afterSeq  the last event that the caller knows of those that may change the standing grants or policies
 */
export interface StandingQuestion {
  readonly requests: readonly SameRequest[];
  readonly afterSeq: number;
  readonly nowMs: number;
}

/**
 * What was committed at one moment.
 * @property hasChanges whether standing grants or policies may have changed after `afterSeq`
 * @property paused     those of the requesters that are paused
 * @property grants     approved and live, for exactly these requests
 * @property approversSequence of the newest list of approvers; 0 when there is none
 */
export interface StandingFacts {
  readonly hasChanges: boolean;
  readonly paused: ReadonlySet<string>;
  readonly grants: readonly Grant[];
  readonly approversSequence: number;
}

/**
 * @property grant  after its last use
 * @property uses   how many there are: the stored version has to be this number of versions older
 * @property events of these uses
 */
export interface UsedGrant {
  readonly grant: Grant;
  readonly uses: number;
  readonly events: readonly AuditEvent[];
}

/** Must not change anything: it may run again. Names no grant twice. */
export type DecideUses<T> = (facts: StandingFacts) => { readonly used: readonly UsedGrant[]; readonly value: T };

/** @property counted ids of the grants whose uses are on record: all but those that another call holds, or has changed after the look */
export interface CountedUses<T> {
  readonly value: T;
  readonly counted: ReadonlySet<string>;
}

/** Looks and writes in one transaction, which other writers wait for: for a database in this process. */
export async function useInTransaction<T>(
  rows: StoreWriter,
  { requests, afterSeq, nowMs }: StandingQuestion,
  decide: DecideUses<T>,
): Promise<CountedUses<T>> {
  const paused = new Set<string>();
  const grants: Grant[] = [];
  for (const { requesterId, fingerprint } of requests) {
    if ((await rows.pause(requesterId)) !== undefined) paused.add(requesterId);
    grants.push(...(await rows.coveringGrants(requesterId, fingerprint, nowMs)));
  }
  const hasChanges = (await rows.standingChanges(afterSeq)).length > 0;
  const { used, value } = decide({ hasChanges, paused, grants, approversSequence: await rows.approversSequence() });
  const counted = new Set<string>();
  for (const { grant, uses, events } of used) {
    if (!(await rows.countUses(grant, uses))) continue;
    counted.add(grant.id);
    for (const event of events) rows.record(event);
  }
  return { value, counted };
}
