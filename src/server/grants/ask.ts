/** `POST /v1/requests`, in four steps: assess, apply the policies, look for coverage, keep the request for an approver. */
import { failed, type Result, success } from '../../core/result.ts';
import type { AskBody } from '../../core/wire/ask.ts';
import type { Subject } from '../../store/store.ts';
import type { Refusal } from '../refusal.ts';
import { change, type ServerParts } from '../server-ports.ts';
import { applyPolicy, refuseByPolicy } from './apply-policy.ts';
import type { AskOutcome } from './ask-outcome.ts';
import { assessAsked } from './asked.ts';
import { coverAsked } from './cover-asked.ts';
import { stoppedRefusal } from './pauses.ts';
import { fileRequest } from './pending-request.ts';

/**
 * Assesses the request outside of a transaction. Then tries `sharedUses`, the fast path for standing grants. If the fast path used no
 * grant, decides the request in a transaction of its own. Refuses the request in these cases:
 * - the requester is paused or revoked
 * - a rule forbids the request
 * - the requester has too many waiting requests
 * - the requester's waiting requests have too many bytes
 */
export async function ask(parts: ServerParts, requester: Subject, body: AskBody): Promise<Result<AskOutcome, Refusal>> {
  const asked = await assessAsked(parts, requester, body);
  const used = await parts.sharedUses.do(asked);
  if (!used.ok) return used;
  if (used.value !== null) return success(used.value);
  return change(parts, async (rows) => {
    await rows.lockRequest(asked.requesterId, asked.fingerprint);
    const stopped = await stoppedRefusal(rows, asked.requesterId);
    if (stopped !== null) return failed(stopped);
    const policy = await applyPolicy(parts, rows, asked);
    if (policy.kind === 'forbidden') return failed(await refuseByPolicy(rows, policy.rule, asked, parts.clock.nowMs()));
    const covered = await coverAsked(parts, rows, asked, policy);
    return covered === null ? fileRequest(parts, rows, asked) : success(covered);
  });
}
