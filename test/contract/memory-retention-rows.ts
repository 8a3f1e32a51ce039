/** Retention of a memory store, written as simply as possible, because the other stores are compared with it. */
import type { StoredAuditEvent } from '../../src/core/grant/audit-event.ts';
import { type Grant, stateAt } from '../../src/core/grant/grant.ts';
import type { NotificationJob } from '../../src/store/notification-store.ts';
import {
  NOTHING_REMOVED,
  type RemovedRows,
  type RetentionClass,
  type RetentionTurn,
  type RetentionWriter,
  type TurnOutcome,
} from '../../src/store/retention-rows.ts';

interface RetainedTables {
  readonly grants: Map<string, Grant>;
  readonly besideGrants: readonly Map<string, unknown>[];
  readonly jobs: Map<string, NotificationJob>;
  readonly events: Map<number, StoredAuditEvent>;
  readonly removed: Map<RetentionClass, RemovedRows>;
}

type SetRow = <Key, Row>(table: Map<Key, Row>, key: Key, row: Row | undefined) => void;

const isUse = ({ kind }: StoredAuditEvent) => ['grant.used', 'policy.used', 'policy.vetoed'].includes(kind);
const isOrigin = ({ kind }: StoredAuditEvent) => ['grant.requested', 'grant.repeated', 'grant.approved'].includes(kind);

function endOf(grant: Grant, nowMs: number): number {
  const state = stateAt(grant, nowMs);
  const never = Number.POSITIVE_INFINITY;
  if (state === 'denied') return grant.decidedAtMs ?? never;
  if (state === 'used') return grant.usedAtMs ?? never;
  if (state === 'revoked') return grant.revokedAtMs ?? never;
  if (state === 'withdrawn') return grant.expiresAtMs;
  if (state !== 'expired') return never;
  return grant.state === 'approved' && grant.term?.kind === 'timed' ? grant.term.untilMs : grant.expiresAtMs;
}

export class MemoryRetentionRows implements RetentionWriter {
  private readonly tables: RetainedTables;
  private readonly set: SetRow;
  constructor(tables: RetainedTables, set: SetRow) {
    this.tables = tables;
    this.set = set;
  }

  async removedRows() {
    return [...this.tables.removed.values()].sort((left, right) => (left.class < right.class ? -1 : 1));
  }

  async removeOld(kind: RetentionClass, turn: RetentionTurn) {
    const outcome = kind === 'requests' ? this.removeRequests(turn) : this.removeOldEvents(kind, turn);
    if (outcome.count === 0) return outcome;
    const before = this.tables.removed.get(kind) ?? { count: 0, lastSeq: 0, beforeMs: 0 };
    this.set(this.tables.removed, kind, {
      class: kind,
      count: before.count + outcome.count,
      lastSeq: Math.max(before.lastSeq, outcome.lastSeq),
      beforeMs: Math.max(before.beforeMs, turn.beforeMs),
    });
    return outcome;
  }

  private removeRequests({ beforeMs, nowMs, limit }: RetentionTurn): TurnOutcome {
    const over = [...this.tables.grants.values()].filter(
      (grant) => endOf(grant, nowMs) < beforeMs && grant.createdAtMs < beforeMs,
    );
    const ids = new Set(over.slice(0, limit).map(({ id }) => id));
    const grantEvents = [...this.tables.events.values()].filter(({ grantId }) => grantId !== null && ids.has(grantId));
    for (const id of ids) {
      for (const table of [...this.tables.besideGrants, this.tables.grants]) this.set(table, id, undefined);
      for (const job of [...this.tables.jobs.values()])
        if (job.grantId === id) this.set(this.tables.jobs, job.id, undefined);
    }
    return { count: ids.size, lastSeq: Math.max(0, ...grantEvents.map(({ seq }) => seq)), lastAtMs: 0 };
  }

  private removeOldEvents(kind: RetentionClass, { fromMs, beforeMs, nowMs, limit }: RetentionTurn): TurnOutcome {
    const old = [...this.tables.events.values()]
      .filter((event) => isUse(event) === (kind === 'uses') && event.atMs < beforeMs && event.atMs >= fromMs)
      .sort((left, right) => left.atMs - right.atMs || left.seq - right.seq);
    const isWanted = (event: StoredAuditEvent) => {
      const grant = this.tables.grants.get(event.grantId ?? '');
      const isLive = grant !== undefined && ['pending', 'approved'].includes(stateAt(grant, nowMs));
      return event.kind !== 'record.cut' && !(isLive && isOrigin(event));
    };
    const others = old.filter(isWanted).slice(0, limit);
    const last = others.at(-1);
    if (last === undefined) return NOTHING_REMOVED;
    const marks = old.filter((event) => event.kind === 'record.cut' && event.atMs <= last.atMs).slice(0, limit);
    const gone = [...others, ...marks];
    for (const { seq } of gone) this.set(this.tables.events, seq, undefined);
    return { count: gone.length, lastSeq: Math.max(...gone.map(({ seq }) => seq)), lastAtMs: last.atMs };
  }
}
