/** Shows the state of a plan: which parts cover a line now, and how often each part was used. */
import type { Failure } from '../core/failure.ts';
import { failed, type Result, success } from '../core/result.ts';
import { matchSuffix } from '../core/text/match-text.ts';
import { visibleLine } from '../core/text/visible-text.ts';
import type { GrantView } from '../core/wire/grant-view.ts';
import type { PartSheet } from '../core/wire/plan.ts';
import type { GrantClient } from '../grants/client.ts';
import { fetchSheet } from '../grants/plans.ts';
import { grantFacts } from './answers.ts';
import type { ToolAnswer } from './conversation.ts';

const NEXT: Readonly<Partial<Record<GrantView['state'], string>>> = {
  pending: 'Not decided yet: no part covers a line. Ask again later.',
  approved: 'Approved: run the lines of the covered parts with the tool run.',
};

/** Makes the answer for a plan that is pending or approved. */
export async function planStatus(client: GrantClient, grant: GrantView): Promise<Result<ToolAnswer, Failure>> {
  const sheet = await fetchSheet(client, grant.id);
  if (!sheet.ok) return failed(sheet.failure);
  const parts = sheet.value.parts.map(({ part, text, state, used, given, wantedUses }) => ({
    part,
    line: text,
    state: WORD[state],
    used,
    uses: given?.uses ?? wantedUses,
  }));
  const lines = parts.map(
    ({ part, line, state, used, uses }) => `${part}. ${state}, ${used} of ${uses} used: ${visibleLine(line)}`,
  );
  const place = grant.state === 'pending' ? [`approve: ${grant.url}${matchSuffix(grant)}`] : [];
  const text = [`Plan ${grant.id}. ${NEXT[grant.state] ?? ''}`, ...place, ...lines].join('\n');
  const structure = {
    outcome: 'status',
    ...grantFacts(grant),
    term: grant.term,
    uses: grant.uses,
    parts,
    message: text,
  };
  return success({ text, structure, isError: false });
}

const WORD: Readonly<Record<PartSheet['state'], string>> = {
  asked: 'not decided',
  struck: 'struck out',
  next: 'covered',
  later: 'covered after the part before it',
  done: 'used up',
};
