/** Answers the calls `ask` and `report` of requesters. The answers are the same over HTTP and over a persistent connection. */
import { plainEvent } from '../../core/grant/audit-event.ts';
import { failed, type Result, success } from '../../core/result.ts';
import type { AskAnswer, AskBody } from '../../core/wire/ask.ts';
import type { ReportBody } from '../../core/wire/report.ts';
import { hostFactsDigest } from '../../platform/host-facts-digest.ts';
import type { Subject } from '../../store/store.ts';
import { ask } from '../grants/ask.ts';
import { grantView } from '../grants/grant-view.ts';
import { pauseAfterFiling } from '../grants/pauses.ts';
import { signedBy, signPermit } from '../grants/permit-token.ts';
import { noSuchGrant } from '../grants/visible-grant.ts';
import { LONG_REQUEST_BYTES } from '../limits.ts';
import { malformedRequest, type Refusal, refusal } from '../refusal.ts';
import { change, type ServerParts } from '../server-ports.ts';
import { hostFactsRequestFault, impactFault, requestFault, textFault } from './request-fault.ts';

type Pending = AskAnswer & { readonly outcome: 'pending' };
type AskReply =
  | { readonly status: 202; readonly body: Pending }
  | { readonly status: 200; readonly body: Exclude<AskAnswer, Pending> };

/** Answers the call `ask`. @param signer signs a permit in the reply, with the server's key or with the key of the persistent connection */
export async function answerAsk(
  parts: ServerParts,
  subject: Subject,
  body: AskBody,
  signer = signedBy(parts.serverKey),
): Promise<Result<AskReply, Refusal>> {
  const { findings: hostFacts = null, touches: impact = null, nonce } = body;
  const fault =
    requestFault(body.request, subject) ??
    textFault(body.reason) ??
    hostFactsRequestFault(hostFacts) ??
    impactFault(impact);
  if (fault !== null) return failed(malformedRequest(fault));
  const tooLong = longRequestRefusal(parts, subject.id, body.request);
  if (tooLong !== null) return failed(tooLong);
  const asked = await ask(parts, subject, body);
  if (!asked.ok) return asked;
  const outcome = asked.value;
  if (outcome.kind === 'wants-findings') return success({ status: 200, body: { outcome: 'wants-findings' } });
  if (outcome.kind === 'pending') {
    if (outcome.filed) await pauseAfterFiling(parts, subject.id);
    const grant = grantView(outcome.grant, parts.clock.nowMs(), parts.publicUrl(), outcome.match);
    return success({ status: 202, body: { outcome: 'pending', filed: outcome.filed, grant } });
  }
  const permit = signPermit(signer, outcome.use, {
    nonce,
    hostFactsDigest: hostFactsDigest(hostFacts),
    approversSequence: outcome.approversSequence,
    nowMs: parts.clock.nowMs(),
  });
  return success({ status: 200, body: { outcome: 'permitted', permit } });
}

/** Records an event that a shell reports. Refuses a report about a grant of another requester, and too many reports of one requester. */
export async function recordReport(
  parts: ServerParts,
  subject: Subject,
  body: ReportBody,
): Promise<Result<{ readonly status: 204 }, Refusal>> {
  const { event, sessionId, grantId, status, text } = body;
  const fault = textFault(text) ?? textFault(sessionId) ?? textFault(grantId);
  if (fault !== null) return failed(malformedRequest(fault));
  if (!parts.budgets.reports.take(subject.id))
    return failed(refusal('server.too_many', 'you have sent too many reports just now; send fewer'));
  const facts = { sessionId, ...(status === undefined ? {} : { status }), ...(text === undefined ? {} : { text }) };
  return change(parts, async (rows) => {
    const requesterId = grantId === undefined ? undefined : await rows.requesterOf(grantId);
    // Retention can have removed the grant, so a report about an unknown grant is recorded too.
    if (requesterId !== undefined && requesterId !== subject.id) return failed(noSuchGrant);
    rows.record({ ...plainEvent(event, subject.id, parts.clock.nowMs(), facts), grantId: grantId ?? null });
    return success({ status: 204 });
  });
}

/** Runs a call of a requester. The call waits while too many calls of the requester run. Refuses the call if too many calls wait. */
export async function inTurn<T>(
  { budgets }: Pick<ServerParts, 'budgets'>,
  subjectId: string,
  work: () => Promise<Result<T, Refusal>>,
): Promise<Result<T, Refusal>> {
  return (
    budgets.lanes.run(subjectId, work) ??
    failed(refusal('server.too_many', 'too many calls of yours wait already; let them end first'))
  );
}

/**
 * Charges a request of more than `LONG_REQUEST_BYTES` to the budget of its requester. Returns a refusal if the budget is used up, else
 * null.
 */
export function longRequestRefusal(
  { budgets }: Pick<ServerParts, 'budgets'>,
  subjectId: string,
  request: object,
): Refusal | null {
  const bytes = Buffer.byteLength(JSON.stringify(request));
  return bytes <= LONG_REQUEST_BYTES || budgets.longRequests.take(subjectId, bytes)
    ? null
    : refusal('server.too_many', 'you have sent too many long requests just now; wait a minute');
}
