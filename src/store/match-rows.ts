/** Stores the number that an approver has to pick for a request (`core/grant/grant-match.ts`). */
import type { Kysely } from 'kysely';
import type { GrantMatch } from '../core/grant/grant-match.ts';
import type { Tables } from './sql-tables.ts';

/**
 * @property decoys the wrong numbers, as a JSON list
 * @property wrong  how many picks were wrong
 */
export interface MatchRow {
  grant_id: string;
  number: string;
  decoys: string;
  wrong: number;
}

/** Returns undefined if the request has no number. */
export async function readMatch(db: Kysely<Tables>, grantId: string): Promise<GrantMatch | undefined> {
  const row = await db.selectFrom('grant_matches').selectAll().where('grant_id', '=', grantId).executeTakeFirst();
  if (row === undefined) return undefined;
  return {
    grantId: row.grant_id,
    number: row.number,
    decoys: JSON.parse(row.decoys) as string[],
    wrong: Number(row.wrong),
  };
}

export const matchRow = ({ grantId, number, decoys, wrong }: GrantMatch): MatchRow => ({
  grant_id: grantId,
  number,
  decoys: JSON.stringify(decoys),
  wrong,
});

/**
 * Adds one to the count of wrong picks. `wrong` is the count that the caller has read. If the database has another count, stores nothing
 * and returns false.
 */
export async function countWrongPick(db: Kysely<Tables>, { grantId, wrong }: GrantMatch): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('grant_matches')
    .set({ wrong: wrong + 1 })
    .where('grant_id', '=', grantId)
    .where('wrong', '=', wrong)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}
