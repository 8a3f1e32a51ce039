/** What a requester's programs call most. The answer is the same over HTTP and over a persistent connection. */
import { canonicalHostFacts } from '../../core/assessment/host-facts.ts';
import { plainEvent } from '../../core/audit-event.ts';
import type { Failure } from '../../core/failure.ts';
import type { AskAnswer, AskBody } from '../../core/wire.ts';
import { sha256Hex } from '../../platform/digest.ts';
import type { Subject } from '../../store/store.ts';
import { type AskOutcome, ask } from '../grants/ask.ts';
import { grantView } from '../grants/grant-view.ts';
import { signedBy, signPermit } from '../grants/permit-token.ts';
import type { Use } from '../grants/use.ts';
import { type Refusal, refusal, refusalBody, statusOf, storeRefusal } from '../refusal.ts';
import { change, type ServerParts } from '../server-ports.ts';
import { hostFactsRequestFault, impactFault, requestFault, textFault } from './request-fault.ts';
import type { ReportBody } from './schemas.ts';

/** @property status as in HTTP; @property body JSON; undefined where there is none */
export interface Reply {
  readonly status: number;
  readonly body?: unknown;
}

export const refusalReply = (parts: ServerParts, refused: Refusal): Reply => ({
  status: statusOf(refused),
  body: refusalBody(refused, parts.clock.nowMs(), parts.publicUrl()),
});

function storeTrouble(parts: ServerParts, failure: Failure): Reply {
  parts.log.error({ failure }, 'database');
  return refusalReply(parts, storeRefusal(failure));
}

/** @param signer of a permit in the reply: the server's key, or that of the connection it goes over */
export async function answerAsk(
  parts: ServerParts,
  subject: Subject,
  body: AskBody,
  signer = signedBy(parts.serverKey),
): Promise<Reply> {
  const { findings: hostFacts = null, touches: impact = null, nonce } = body;
  const fault =
    requestFault(body.request, subject) ??
    textFault(body.reason) ??
    hostFactsRequestFault(hostFacts) ??
    impactFault(impact);
  if (fault !== null) return refusalReply(parts, refusal('request.malformed', fault));
  const asked = await ask(parts, subject, body);
  if (!asked.ok) return storeTrouble(parts, asked.failure);
  const outcome = asked.value;
  if (outcome.kind === 'refused') return refusalReply(parts, outcome.refusal);
  const answer = answerOf(parts, outcome, (use) => {
    const digest = hostFacts === null ? null : sha256Hex(canonicalHostFacts(hostFacts));
    return signPermit(signer, use, nonce, digest, parts.clock.nowMs());
  });
  return { status: answer.outcome === 'pending' ? 202 : 200, body: answer };
}

function answerOf(
  parts: ServerParts,
  outcome: Exclude<AskOutcome, { kind: 'refused' }>,
  permitFor: (use: Use) => string,
): AskAnswer {
  if (outcome.kind === 'wants-findings') return { outcome: 'wants-findings' };
  if (outcome.kind === 'permitted') return { outcome: 'permitted', permit: permitFor(outcome.use) };
  const grant = grantView(outcome.grant, parts.clock.nowMs(), parts.publicUrl());
  return { outcome: 'pending', filed: outcome.filed, grant };
}

export async function recordReport(parts: ServerParts, subject: Subject, body: ReportBody): Promise<Reply> {
  const { event, sessionId, grantId, status, text } = body;
  const fault = textFault(text) ?? textFault(sessionId) ?? textFault(grantId);
  if (fault !== null) return refusalReply(parts, refusal('request.malformed', fault));
  const facts = { sessionId, ...(status === undefined ? {} : { status }), ...(text === undefined ? {} : { text }) };
  const written = await change(parts, async (rows) => {
    rows.record({ ...plainEvent(event, subject.id, parts.clock.nowMs(), facts), grantId: grantId ?? null });
    return null;
  });
  return written.ok ? { status: 204 } : storeTrouble(parts, written.failure);
}
