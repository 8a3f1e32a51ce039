/** The history of the store in memory. */
import type { StoredAuditEvent } from '../../src/core/grant/audit-event.ts';
import type { Grant } from '../../src/core/grant/grant.ts';
import type { GrantScope } from '../../src/core/scope/command-scope.ts';
import type { GrantSearch, HistoryReader, UseSearch } from '../../src/store/history-rows.ts';
import type { ListedGrant } from '../../src/store/listed-request.ts';
import type { GrantFilter, Subject, UseFilter } from '../../src/store/store.ts';

/** The grants that a filter selects, in the order of the filter. */
interface Rows {
  readonly grants: (filter: GrantFilter) => Promise<readonly ListedGrant[]>;
}

interface Tables {
  readonly subjects: ReadonlyMap<string, Subject>;
  readonly grants: ReadonlyMap<string, Grant>;
  readonly events: ReadonlyMap<number, StoredAuditEvent>;
}

const lower = (text: string) => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());

const newestFirst = (left: StoredAuditEvent, right: StoredAuditEvent) => right.atMs - left.atMs || right.seq - left.seq;

export class MemoryHistory implements HistoryReader {
  private readonly rows: Rows;
  private readonly tables: Tables;

  constructor(rows: Rows, tables: Tables) {
    this.rows = rows;
    this.tables = tables;
  }

  async seeGrants(filter: GrantFilter, search: GrantSearch) {
    return (await this.rows.grants(filter)).map(({ id, createdAtMs, requesterId, request, reason, denyReason }) => ({
      id,
      atMs: createdAtMs,
      mayMatch:
        this.isOfHost(requesterId, search) &&
        ([JSON.stringify(request), reason, denyReason].some((text) => hasOne(text, search)) ||
          (search.idPrefix !== null && id.startsWith(search.idPrefix))),
    }));
  }

  async seeUses(filter: UseFilter, search: UseSearch) {
    return this.uses(filter).map(({ seq, atMs, actorId, grantId, facts }) => {
      const isOfRequester = search.requesterId === null || actorId === search.requesterId;
      const isFitting = isOfRequester && this.isOfHost(actorId, search);
      const mayMatch = isFitting && hasOne(JSON.stringify(facts), search);
      return { seq, atMs, mayMatch, grantId: isFitting ? grantId : null };
    });
  }

  private uses({ beforeMs = Number.POSITIVE_INFINITY, beforeSeq = 0, limit }: UseFilter) {
    const found = [...this.tables.events.values()].filter(
      ({ kind, atMs, seq }) =>
        ['grant.used', 'policy.used', 'policy.vetoed'].includes(kind) &&
        (atMs < beforeMs || (atMs === beforeMs && seq < beforeSeq)),
    );
    return found.sort(newestFirst).slice(0, limit);
  }

  async usesBySeq(seqs: readonly number[]) {
    const found = seqs.flatMap((seq) => this.tables.events.get(seq) ?? []);
    return found.sort(newestFirst);
  }

  async scopesOf(grantIds: readonly string[]) {
    const scopes = grantIds.map((id) => [id, this.tables.grants.get(id)?.scope ?? null] as const);
    return new Map(scopes.filter((each): each is [string, GrantScope] => each[1] !== null));
  }

  private isOfHost(subjectId: string | null, { hostParts }: GrantSearch | UseSearch): boolean {
    const host = this.tables.subjects.get(subjectId ?? '')?.host ?? '';
    return hostParts.every((part) => lower(host).includes(lower(part)));
  }
}

const hasOne = (text: string | null, { texts }: GrantSearch | UseSearch): boolean =>
  texts.some((parts) => parts.every((part) => lower(text ?? '').includes(lower(part))));
