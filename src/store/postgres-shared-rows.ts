/** Uses one statement of PostgreSQL for the rows of many calls. Each column is passed as one array, so the text is the same for any number of rows. */
import type { SharedRowsOn, TokenHolderRow } from './shared-rows.ts';

const TOKEN_HOLDERS = `select subjects.*, tokens.hash, tokens.expires_at_ms
  from tokens join subjects on subjects.id = tokens.subject_id
  where tokens.hash = any($1::text[]) and tokens.expires_at_ms > $2 and subjects.revoked_at_ms is null`;

const INSERT_UNNUMBERED = `insert into unnumbered_events (id, at_ms, kind, actor_id, grant_id, enrolment_id, facts)
  select * from unnest($1::text[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[])`;

export const allAtOnce: SharedRowsOn = (_prepared, execute) => {
  const rows = async <Row>(text: string, values: readonly unknown[]) =>
    (await execute(text, values)).rows as readonly Row[];
  const columns = <Row extends object>(all: readonly Row[], ...names: readonly (keyof Row)[]) =>
    names.map((name) => all.map((row) => row[name]));
  return {
    tokenHolders: (hashes, nowMs) => rows<TokenHolderRow>(TOKEN_HOLDERS, [hashes, nowMs]),
    async insertUnnumbered(events) {
      const names = ['id', 'at_ms', 'kind', 'actor_id', 'grant_id', 'enrolment_id', 'facts'] as const;
      await execute(INSERT_UNNUMBERED, columns(events, ...names));
    },
  };
};
