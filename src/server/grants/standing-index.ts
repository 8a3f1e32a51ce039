/**
 * Keeps in memory the scopes and policies that can cover or forbid a line. Each change of a scope or policy writes an event in the same
 * transaction. Before a use of the index, `catchUp` reads the events since the last call of `catchUp`. The index alone decides what is
 * forbidden. For coverage, the index only finds candidates. The transaction reads and locks the rows of the candidates, and these rows
 * decide.
 */
import type { RequiredPermission } from '../../core/effects/assess-line.ts';
import type { StoredAuditEvent } from '../../core/grant/audit-event.ts';
import { expiryAtMs, type Grant, isForCommands, isForPlan } from '../../core/grant/grant.ts';
import { DenyIndex } from '../../core/policy/deny-index.ts';
import type { DenySubject } from '../../core/policy/deny-subject.ts';
import { denyRuleOf, needsHostFacts, type Policy } from '../../core/policy/policy.ts';
import type { CommandScope } from '../../core/scope/command-scope.ts';
import type { ScopeFacts } from '../../core/scope/conditions.ts';
import type { Candidate, LineCoverage } from '../../core/scope/cover-line.ts';
import { ScopeIndex } from '../../core/scope/scope-index.ts';
import type { EventMark, StoreReader } from '../../store/store.ts';

/** The policies that forbid, as they were at one moment. */
interface Denies {
  readonly index: DenyIndex;
  /** The requesters for whom some rule needs host facts; the member null means all requesters. */
  readonly needing: ReadonlySet<string | null>;
}

export class StandingIndex {
  /** The mark of the last event that was read; null before the first call of `catchUp`. */
  #cursor: EventMark | null = null;
  /** The number of the newest event when the policies were read; -1: the policies were not read yet. */
  #policiesAsOf = -1;
  #denies: Denies = { index: new DenyIndex(), needing: new Set() };
  #scopes = new ScopeIndex();
  /** The scopes that are sealed. */
  #sealed = new ScopeIndex();
  /** The ids of each requester's plans that may cover lines now. */
  readonly #plans = new Map<string, Set<string>>();
  /** When grants with a scope expire (Unix ms), by their ids; a grant that does not expire is left out. */
  readonly #endsAtMs = new Map<string, number>();
  /** The requesters whose grants are in the index. Policies are in the index from the first call of `catchUp`. */
  readonly #loaded = new Set<string>();
  /** The ids of the policies that allow reading. */
  #readings: readonly string[] = [];

  /**
   * Brings the index up to date. Call this method first in the transaction that decides. If nothing changed, the call costs one indexed
   * read.
   */
  async catchUp(rows: StoreReader): Promise<void> {
    const cursor = this.#cursor;
    const changes = cursor === null ? null : await rows.standingChanges(cursor);
    if (cursor === null || changes === null) {
      // The mark is read before the rows. So the rows are as new as the mark, or newer.
      const mark = await rows.lastMark();
      // If the database lacks the last event that the index has read, it may be another database. So the index is emptied.
      if (this.#cursor === cursor) this.#forgetAll();
      await this.#readPolicies(rows, mark.seq);
      this.#moveTo(mark);
      return;
    }
    const last = changes.at(-1);
    if (last === undefined) return;
    const isCut = changes.some(isRemovalAfter(cursor.seq));
    // Grants are loaded again. An ended scope stays in the index until a transaction reads the row of the grant and calls `forget`.
    if (isCut) this.#loaded.clear();
    for (const change of changes) await this.#follow(rows, change);
    // The policies are read last, so that no database failure comes between this read and the move of the mark. A failure there would leave
    // `#policiesAsOf` above the mark. If a standby without the last events then took over, the index would ignore the policies of the
    // standby, because the newest event of the standby has a lower number than `#policiesAsOf`.
    if (isCut || changes.some(({ kind }) => kind.startsWith('policy.'))) await this.#readPolicies(rows, last.seq);
    this.#moveTo(last);
  }

  #moveTo({ seq, atMs }: EventMark): void {
    if (this.#cursor === null || this.#cursor.seq < seq) this.#cursor = { seq, atMs };
  }

  #forgetAll(): void {
    this.#cursor = null;
    this.#policiesAsOf = -1;
    this.#loaded.clear();
    this.#scopes = new ScopeIndex();
    this.#sealed = new ScopeIndex();
    this.#plans.clear();
    this.#endsAtMs.clear();
    this.#readings = [];
  }

  /** The mark of the last event that the index has read; null before the first call of `catchUp`. */
  get asOf(): EventMark | null {
    return this.#cursor;
  }

  /** Whether at least one rule forbids something to at least one requester. False before the first call of `catchUp`. */
  get hasDenies(): boolean {
    return this.#denies.index.size > 0;
  }

  /** Returns the first rule that forbids `subject`; null: no rule forbids `subject`, or `catchUp` was not called yet. */
  denial(requesterId: string, subject: DenySubject) {
    return this.#denies.index.firstDenial(requesterId, subject);
  }

  /** Whether some rule for this requester needs host facts. */
  needsHostFacts(requesterId: string): boolean {
    return this.#denies.needing.has(null) || this.#denies.needing.has(requesterId);
  }

  /**
   * Finds scopes of the requester that together cover a line. The scopes come from standing grants and policies.
   * @param isSealedOnly whether only sealed grants and policies count
   */
  async coverageOf(
    rows: StoreReader,
    requesterId: string,
    requiredPermissions: readonly RequiredPermission[],
    facts: ScopeFacts,
    isSealedOnly = false,
  ): Promise<LineCoverage> {
    await this.#load(rows, requesterId, facts.nowMs);
    return (isSealedOnly ? this.#sealed : this.#scopes).coverageOf(requesterId, requiredPermissions, facts);
  }

  /**
   * Returns all of the requester's scopes, to explain what covers a line, or why no scope covers it. The scopes of grants that have expired
   * at `nowMs` are left out.
   * @param isSealedOnly whether the scopes without a seal are left out
   */
  async candidates(
    rows: StoreReader,
    requesterId: string,
    nowMs: number,
    isSealedOnly = false,
  ): Promise<readonly Candidate[]> {
    await this.#load(rows, requesterId, nowMs);
    const all = (isSealedOnly ? this.#sealed : this.#scopes).of(requesterId);
    return all.filter(({ grantId }) => nowMs < (this.#endsAtMs.get(grantId) ?? Number.POSITIVE_INFINITY));
  }

  /** The ids of plans that possibly cover lines of this requester now. */
  async plansOf(rows: StoreReader, requesterId: string, nowMs: number): Promise<readonly string[]> {
    await this.#load(rows, requesterId, nowMs);
    return [...(this.#plans.get(requesterId) ?? [])];
  }

  /** Removes a grant or policy from the index. Call this if the row shows that the grant or policy cannot be used any more. */
  forget(grantId: string): void {
    for (const [requesterId, ids] of this.#plans)
      if (ids.delete(grantId) && ids.size === 0) this.#plans.delete(requesterId);
    this.#scopes.remove(grantId);
    this.#sealed.remove(grantId);
    this.#endsAtMs.delete(grantId);
  }

  async #readPolicies(rows: StoreReader, asOf: number): Promise<void> {
    const live = await rows.livePolicies();
    if (asOf < this.#policiesAsOf) return; // another transaction has read newer policies meanwhile
    this.#policiesAsOf = asOf;
    this.#denies = deniesOf(live);
    for (const id of this.#readings) this.forget(id);
    const readings = live.filter((policy) => policy.effect === 'allow-reading');
    for (const { id, requesterId, rule, sealed } of readings) this.#insert(id, requesterId, rule, sealed !== undefined);
    this.#readings = readings.map(({ id }) => id);
  }

  async #follow(rows: StoreReader, { kind, grantId }: StoredAuditEvent): Promise<void> {
    if (grantId === null || !kind.startsWith('grant.')) return;
    const grant = await rows.grant(grantId);
    if (grant !== undefined && this.#loaded.has(grant.requesterId)) this.#put(grant);
  }

  #put(grant: Grant): void {
    const { id, requesterId, state, scope, sealed } = grant;
    if (state === 'approved' && isForPlan(scope))
      this.#plans.set(requesterId, (this.#plans.get(requesterId) ?? new Set()).add(id));
    else if (state === 'approved' && isForCommands(scope)) {
      this.#insert(id, requesterId, scope, sealed !== undefined);
      const endsAtMs = expiryAtMs(grant);
      if (endsAtMs === null) this.#endsAtMs.delete(id);
      else this.#endsAtMs.set(id, endsAtMs);
    } else this.forget(id);
  }

  #insert(grantId: string, requesterId: string, scope: CommandScope, isSealed: boolean): void {
    this.#scopes.insert({ grantId, requesterId, scope });
    if (isSealed) this.#sealed.insert({ grantId, requesterId, scope });
  }

  async #load(rows: StoreReader, requesterId: string, nowMs: number): Promise<void> {
    while (!this.#loaded.has(requesterId)) {
      const before = this.#cursor;
      const grants = await rows.scopedGrants(requesterId, nowMs);
      if (this.#cursor !== before) continue; // the grants that were read may lack a change that came meanwhile
      for (const grant of grants) this.#put(grant);
      this.#loaded.add(requesterId);
    }
  }
}

/**
 * Whether this event records the removal of events that this index has not read. This happens if the server had no request for longer than
 * it keeps events.
 */
const isRemovalAfter =
  (cursor: number) =>
  ({ kind, facts }: StoredAuditEvent): boolean =>
    kind === 'record.cut' && facts['class'] === 'events' && Number(facts['lastSeq']) > cursor;

function deniesOf(live: readonly Policy[]): Denies {
  const index = new DenyIndex();
  const requesters = new Set<string | null>();
  for (const rule of live.filter((policy) => policy.effect === 'deny').map(denyRuleOf)) {
    index.insert(rule);
    if (needsHostFacts(rule)) requesters.add(rule.requesterId);
  }
  return { index, needing: requesters };
}
