/** Reads the last requests of a requester and the host facts of these requests. The caller tries a rule or a scope on the requests. */
import { type Kysely, sql } from 'kysely';
import type { HostFacts } from '../core/effects/host-facts.ts';
import type { ExecutionRequest } from '../core/grant/request.ts';
import type { Tables } from './sql-tables.ts';
import { MAX_PAST_REQUEST_BYTES } from './store.ts';

/** The query takes the newest requests of the requester, at most this many. Of these, the query keeps the requests with host facts. */
const MAX_LOOKED_AT = 2_000;

/**
 * Reads requests for `StoreReader.pastRequests`. The inner queries find only the ids. The outer query reads the texts that are not too
 * long: a database knows the length of a text without reading it.
 */
export async function readPastRequests(db: Kysely<Tables>, requesterId: string, limit: number) {
  const rows = await db
    .selectFrom((from) =>
      from
        .selectFrom((inner) =>
          inner
            .selectFrom('grants')
            .select(['id', 'created_at_ms'])
            .where('requester_id', '=', requesterId)
            .where('part_uses', 'is', null)
            .orderBy('created_at_ms', 'desc')
            .orderBy('id')
            .limit(MAX_LOOKED_AT)
            .as('newest'),
        )
        .innerJoin('grant_findings', 'grant_findings.grant_id', 'newest.id')
        .select('newest.id')
        .orderBy('newest.created_at_ms', 'desc')
        .orderBy('newest.id')
        .limit(limit)
        .as('last'),
    )
    .innerJoin('grants', 'grants.id', 'last.id')
    .innerJoin('grant_findings', 'grant_findings.grant_id', 'last.id')
    .select(['grants.id', 'grants.created_at_ms', 'grants.request', 'grant_findings.findings'])
    .where(sql<boolean>`octet_length(request) + octet_length(findings) <= ${MAX_PAST_REQUEST_BYTES}`)
    .orderBy('grants.created_at_ms', 'desc')
    .orderBy('grants.id')
    .execute();
  return rows.map(({ id, created_at_ms, request, findings: hostFacts }) => ({
    grantId: id,
    atMs: created_at_ms,
    request: JSON.parse(request) as ExecutionRequest,
    findings: JSON.parse(hostFacts) as HostFacts,
  }));
}
