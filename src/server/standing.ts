/**
 * What may cover or veto a line, kept in memory and in step with the database: every change of it is an event of the same
 * transaction, and before anything here is believed, the events since the last look are read. It only says where to look:
 * the row that is read and held in the transaction decides.
 */
import type { StoredAuditEvent } from '../core/audit-event.ts';
import { type Grant, isForCommands } from '../core/grant.ts';
import type { DenyRule } from '../core/scope/command-scope.ts';
import type { Candidate } from '../core/scope/cover-line.ts';
import { denyRuleOf, type ReadingPolicy } from '../core/scope/policy.ts';
import type { StoreReader } from '../store/store.ts';

export class Standing {
  /** The last event that was read; null before the first look. */
  #cursor: number | null = null;
  #policiesAsOf = -1;
  #denies: readonly DenyRule[] = [];
  #readings: readonly ReadingPolicy[] = [];
  readonly #scopes = new Map<string, Map<string, Candidate>>();

  /** Call it first, in the transaction that decides. One indexed read when nothing changed. */
  async inStep(rows: StoreReader): Promise<void> {
    if (this.#cursor === null) {
      const seq = await rows.lastSeq(); // before the rows: they may be newer than it, never older
      await this.#readPolicies(rows, seq);
      this.#cursor = Math.max(this.#cursor ?? 0, seq);
      return;
    }
    const changes = await rows.standingChanges(this.#cursor);
    const last = changes.at(-1)?.seq;
    if (last === undefined) return;
    if (changes.some(({ kind }) => kind.startsWith('policy.'))) await this.#readPolicies(rows, last);
    for (const change of changes) await this.#follow(rows, change);
    this.#cursor = Math.max(this.#cursor, last);
  }

  /** The rules that may veto what this requester asks. */
  denies(requesterId: string): readonly DenyRule[] {
    return this.#denies.filter((rule) => rule.requesterId === null || rule.requesterId === requesterId);
  }

  /** The scopes that may cover a line of this requester, of grants and of policies. */
  async candidates(rows: StoreReader, requesterId: string, nowMs: number): Promise<readonly Candidate[]> {
    const scopes = this.#scopes.get(requesterId) ?? (await this.#load(rows, requesterId, nowMs));
    const readings = this.#readings.filter((policy) => policy.requesterId === requesterId);
    return [...scopes.values(), ...readings.map(({ id, rule }) => ({ grantId: id, scope: rule }))];
  }

  /** It was looked at and cannot be used any more. */
  forget(requesterId: string, grantId: string): void {
    this.#scopes.get(requesterId)?.delete(grantId);
  }

  async #readPolicies(rows: StoreReader, asOf: number): Promise<void> {
    const live = await rows.livePolicies();
    if (asOf < this.#policiesAsOf) return; // another transaction has read newer ones meanwhile
    this.#policiesAsOf = asOf;
    this.#denies = live.filter((policy) => policy.effect === 'deny').map(denyRuleOf);
    this.#readings = live.filter((policy) => policy.effect === 'allow-reading');
  }

  async #follow(rows: StoreReader, { kind, grantId }: StoredAuditEvent): Promise<void> {
    if (grantId === null || !kind.startsWith('grant.')) return;
    const grant = await rows.grant(grantId);
    const known = grant === undefined ? undefined : this.#scopes.get(grant.requesterId);
    if (grant === undefined || known === undefined) return;
    const candidate = candidateOf(grant);
    if (candidate === null) known.delete(grantId);
    else known.set(grantId, candidate);
  }

  async #load(rows: StoreReader, requesterId: string, nowMs: number): Promise<ReadonlyMap<string, Candidate>> {
    for (;;) {
      const before = this.#cursor;
      const grants = await rows.scopedGrants(requesterId, nowMs);
      if (this.#cursor !== before) continue; // what happened meanwhile may be missing in them
      const found = new Map<string, Candidate>();
      for (const grant of grants) {
        const candidate = candidateOf(grant);
        if (candidate !== null) found.set(grant.id, candidate);
      }
      this.#scopes.set(requesterId, found);
      return found;
    }
  }
}

const candidateOf = ({ id, state, scope }: Grant): Candidate | null =>
  state === 'approved' && isForCommands(scope) ? { grantId: id, scope } : null;
