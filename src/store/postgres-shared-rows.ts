/** One statement of PostgreSQL for the rows of many calls. Each column is passed as one array, so the text is the same for any number of rows. */
import type { PauseRow } from './pause-rows.ts';
import type { SharedRowsOn, TokenHolderRow } from './shared-rows.ts';
import type { GrantRow } from './sql-tables.ts';

const TOKEN_HOLDERS = `select subjects.*, tokens.hash, tokens.expires_at_ms
  from tokens join subjects on subjects.id = tokens.subject_id
  where tokens.hash = any($1::text[]) and tokens.expires_at_ms > $2 and subjects.revoked_at_ms is null`;

const PAUSES = 'select * from requester_pauses where requester_id = any($1::text[])';

const HOLD_GRANTS = `select grants.* from unnest($1::text[], $2::text[]) as asked (requester_id, fingerprint)
    join grants using (requester_id, fingerprint)
  where grants.state = 'approved' and (grants.lapses_at_ms is null or grants.lapses_at_ms > $3)
  for update of grants skip locked`;

const COUNT_USES = `update grants set version = counted.version, uses = counted.uses, used_at_ms = counted.used_at_ms
  from unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[])
    as counted (id, before, version, uses, used_at_ms)
  where grants.id = counted.id and grants.version = counted.before`;

const INSERT_UNNUMBERED = `insert into unnumbered_events (id, at_ms, kind, actor_id, grant_id, enrolment_id, facts)
  select * from unnest($1::text[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[])`;

export const allAtOnce: SharedRowsOn = (_prepared, execute) => {
  const rows = async <Row>(text: string, values: readonly unknown[]) =>
    (await execute(text, values)).rows as readonly Row[];
  const columns = <Row extends object>(all: readonly Row[], ...names: readonly (keyof Row)[]) =>
    names.map((name) => all.map((row) => row[name]));
  return {
    tokenHolders: (hashes, nowMs) => rows<TokenHolderRow>(TOKEN_HOLDERS, [hashes, nowMs]),
    pauses: (requesterIds) => rows<PauseRow>(PAUSES, [requesterIds]),
    holdGrantsFor: (requests, nowMs) =>
      rows<GrantRow>(HOLD_GRANTS, [...columns(requests, 'requesterId', 'fingerprint'), nowMs]),
    async countUses(uses) {
      return (await execute(COUNT_USES, columns(uses, 'id', 'before', 'version', 'uses', 'used_at_ms'))).changes;
    },
    async insertUnnumbered(events) {
      const names = ['id', 'at_ms', 'kind', 'actor_id', 'grant_id', 'enrolment_id', 'facts'] as const;
      await execute(INSERT_UNNUMBERED, columns(events, ...names));
    },
  };
};
