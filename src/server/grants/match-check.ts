/** Checks the number in an approval. For a risky request, the approver must pick the number that the requester's side shows. */
import { needsMatch, shownRisk } from '../../core/effects/shown-risk.ts';
import { type AuditFacts, grantEvent } from '../../core/grant/audit-event.ts';
import type { Grant } from '../../core/grant/grant.ts';
import { transition } from '../../core/grant/grant.ts';
import { type GrantMatch, MAX_WRONG_PICKS, newMatch } from '../../core/grant/grant-match.ts';
import type { StoreWriter, Subject } from '../../store/store.ts';
import { equalInConstantTime } from '../identity/secrets.ts';
import { type Refusal, refusal } from '../refusal.ts';
import type { ServerParts } from '../server-ports.ts';
import { type GrantLine, shownAssessment } from './about-line.ts';

/** Whether the approver has to pick a number. The server's current assessment decides, not what the requester says. */
export const asksForMatch = (grant: Grant, line: GrantLine, parts: Pick<ServerParts, 'mcpRules'>) =>
  needsMatch(shownRisk(grant.request, shownAssessment(line, grant, parts.mcpRules)));

const NEEDED = 'pick the number that the requester was shown';

/**
 * Returns null if `picked` is the number of the request. Call this function only if `asksForMatch` returns true. Commit the transaction
 * even after a refusal: a refusal may store a new number or a count.
 * - Records and counts a wrong number. Denies the request when the count reaches `MAX_WRONG_PICKS`.
 * - A request that was filed with a lower risk has no number. For such a request, makes the number now, and refuses.
 * @param picked null: the approver picked no number
 */
export async function matchRefusal(
  parts: ServerParts,
  rows: StoreWriter,
  by: Subject,
  grant: Grant,
  picked: string | null,
): Promise<Refusal | null> {
  const match = await rows.match(grant.id);
  if (match === undefined) {
    await rows.insertMatch(newMatch(grant.id, parts.random));
    return refusal(
      'match.needed',
      `${NEEDED}: the number was made just now; \`apes grants show\` prints it for the requester`,
      grant,
    );
  }
  if (picked === null) return refusal('match.needed', NEEDED, grant);
  if (equalInConstantTime(picked, match.number)) return null;
  return wrongPick(parts, rows, by, grant, match);
}

async function wrongPick(
  parts: ServerParts,
  rows: StoreWriter,
  by: Subject,
  grant: Grant,
  match: GrantMatch,
): Promise<Refusal> {
  const nowMs = parts.clock.nowMs();
  if (!(await rows.countWrongPick(match)))
    return refusal('grant.stale', 'another approver picked a number meanwhile; look again', grant);
  const wrong = match.wrong + 1;
  const record = (kind: 'grant.refused' | 'grant.denied', facts: AuditFacts) =>
    rows.record(grantEvent(kind, grant, by.id, nowMs, facts));
  record('grant.refused', { wanted: 'approve', code: 'match.wrong', wrong });
  const denied = transition(grant, { kind: 'deny', by: by.id, reason: DENIED }, nowMs);
  if (wrong < MAX_WRONG_PICKS || !denied.ok)
    return refusal(
      'match.wrong',
      'this is not the number that the requester was shown; compare the numbers again',
      grant,
    );
  if (!(await rows.replaceGrant(denied.value)))
    return refusal('grant.stale', 'this grant changed since it was shown; look again', grant);
  record('grant.denied', { reason: DENIED });
  return refusal(
    'match.wrong',
    `that was the wrong number ${MAX_WRONG_PICKS} times: the request is denied`,
    denied.value,
  );
}

const DENIED = 'number did not match';
