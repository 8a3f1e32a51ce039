/** The API of an approver: decide requests, end approvals, enrol hosts, read the record, sign out. */
import { failed, type Result, success } from '../../core/result.ts';
import { AuditListSchema, AuditQuerySchema } from '../../core/wire/audit-event.ts';
import {
  ApprovalToSealBodySchema,
  ApproveBatchBodySchema,
  type ApproveBody,
  ApproveBodySchema,
  BatchAnswerSchema,
  BatchToSealBodySchema,
  DenyBodySchema,
  RevokeBodySchema,
} from '../../core/wire/decisions.ts';
import {
  ApproveEnrolmentBodySchema,
  EnrolmentListQuerySchema,
  EnrolmentListSchema,
  EnrolmentStateSchema,
} from '../../core/wire/enrolment.ts';
import { GrantViewSchema } from '../../core/wire/grant-view.ts';
import { IdParams, NoContent } from '../../core/wire/schema-parts.ts';
import { BatchToSealSchema, DecisionToSealSchema } from '../../core/wire/sealed.ts';
import type { Subject } from '../../store/store.ts';
import { approvalToSeal } from '../grants/approval-to-seal.ts';
import { approveBatch, batchToSeal } from '../grants/approve-batch.ts';
import { confirmApproval } from '../grants/confirm-approval.ts';
import { changeGrant } from '../grants/grant-changes.ts';
import type { GrantCommand } from '../grants/grant-command.ts';
import { grantView } from '../grants/grant-view.ts';
import { pauseAfterDenial } from '../grants/pauses.ts';
import { type Caller, cookieName } from '../identity/authentication.ts';
import { decideEnrolment, type EnrolmentVerdict } from '../identity/enrolment.ts';
import { enrolmentState, enrolmentView } from '../identity/enrolment-view.ts';
import { signOut } from '../identity/session.ts';
import { malformedRequest, type Refusal, refusal } from '../refusal.ts';
import { read } from '../server-ports.ts';
import { type ApiRoutes, callerOf, endpointsOf, route, withBody } from './api-route.ts';
import { sendResult } from './reply.ts';
import { textFault } from './request-fault.ts';

/** In bytes. A scope contains the environment of the request, and an environment can be large. */
export const APPROVE_BODY_LIMIT = 1024 * 1024;
/** In bytes. A document of a batch has no scope, and needs only a few hundred bytes. */
const BATCH_BODY_LIMIT = 128 * 1024;

function approvalOf(
  body: ApproveBody,
  caller: Caller,
): Result<Extract<GrantCommand, { readonly kind: 'approve' }>, Refusal> {
  const { version, term, scope = null, confined: isConfined = false, match = null, sealed } = body;
  const isByTap = caller.via === 'session';
  const fault = textFault(scope === null || 'kind' in scope ? undefined : scope.pathPrefix);
  if (fault !== null) return failed(malformedRequest(fault));
  const given = { version, term, scope, isConfined, match, isByTap };
  return success({ kind: 'approve', ...given, ...(sealed === undefined ? {} : { sealed }) });
}

export const approverRoutes: ApiRoutes = (app, parts) => {
  const endpoint = endpointsOf(app, parts);
  const decided = { params: IdParams, answers: { 200: GrantViewSchema } };

  async function decide(by: Subject, grantId: string, command: GrantCommand) {
    const changed = await changeGrant(parts, by, grantId, command);
    return changed.ok ? withBody(grantView(changed.value, parts.clock.nowMs(), parts.publicUrl())) : changed;
  }

  endpoint(
    'decider',
    'POST',
    '/v1/grants/:id/approve',
    {
      summary: 'Approve what was shown, for a term; a scope makes the approval reach further',
      ...decided,
      body: ApproveBodySchema,
      bodyLimit: APPROVE_BODY_LIMIT,
    },
    async ({ caller, params, body }) => {
      const command = approvalOf(body, caller);
      if (!command.ok) return command;
      const refused = await confirmApproval(parts, caller, params.id, body);
      if (refused !== null) return failed(refused);
      return decide(caller.subject, params.id, command.value);
    },
  );

  endpoint(
    'decider',
    'POST',
    '/v1/grants/:id/approval-document',
    {
      summary: 'The document of an approval, to be sealed with a key of the caller',
      params: IdParams,
      body: ApprovalToSealBodySchema,
      bodyLimit: APPROVE_BODY_LIMIT,
      answers: { 200: DecisionToSealSchema },
    },
    async ({ caller, params, body }) => {
      const command = approvalOf(body, caller);
      if (!command.ok) return command;
      const document = await approvalToSeal(parts, caller.subject, params.id, command.value);
      return document.ok ? withBody(document.value) : document;
    },
  );

  endpoint(
    'decider',
    'POST',
    '/v1/approvals',
    {
      summary: 'Approve requests of one group, each once and exactly, with one confirmation or one seal for all',
      body: ApproveBatchBodySchema,
      bodyLimit: BATCH_BODY_LIMIT,
      answers: { 200: BatchAnswerSchema },
    },
    async ({ caller, body }) => {
      const answer = await approveBatch(parts, caller, body);
      return answer.ok ? withBody(answer.value) : answer;
    },
  );

  endpoint(
    'decider',
    'POST',
    '/v1/approvals/document',
    {
      summary:
        'The documents of the approvals of one group, to be sealed with one signature of a passkey of the caller',
      body: BatchToSealBodySchema,
      answers: { 200: BatchToSealSchema },
    },
    async ({ caller, body }) => {
      const batch = await batchToSeal(parts, caller, body.grants);
      return batch.ok ? withBody(batch.value) : batch;
    },
  );

  endpoint(
    'decider',
    'POST',
    '/v1/grants/:id/deny',
    { summary: 'Deny, with a reason the requester sees', ...decided, body: DenyBodySchema },
    async ({ caller, params, body: { version, reason } }) => {
      const fault = textFault(reason);
      if (fault !== null) return failed(malformedRequest(fault));
      const given = reason === undefined || reason.trim() === '' ? null : reason;
      const denied = await decide(caller.subject, params.id, { kind: 'deny', version, reason: given });
      if (denied.ok) await pauseAfterDenial(parts, denied.value.body.requesterId);
      return denied;
    },
  );

  endpoint(
    'decider',
    'POST',
    '/v1/grants/:id/revoke',
    { summary: 'End an approval', ...decided, body: RevokeBodySchema },
    async ({ caller, params }) => decide(caller.subject, params.id, { kind: 'revoke' }),
  );

  endpoint(
    'reader',
    'GET',
    '/v1/enrolments',
    {
      summary: 'Hosts that wait to be enrolled',
      querystring: EnrolmentListQuerySchema,
      answers: { 200: EnrolmentListSchema },
    },
    async () => {
      const nowMs = parts.clock.nowMs();
      const waiting = await read(parts, async (rows) => {
        const requesters = await rows.requesters();
        return success(
          (await rows.pendingEnrolments(nowMs)).map((one) => enrolmentView(parts, one, nowMs, requesters)),
        );
      });
      return waiting.ok ? withBody({ enrolments: waiting.value }) : waiting;
    },
  );

  async function decideHost(by: Subject, enrolmentId: string, verdict: EnrolmentVerdict) {
    const outcome = await decideEnrolment(parts, by, enrolmentId, verdict);
    return outcome.ok ? withBody(enrolmentState(outcome.value, parts)) : outcome;
  }

  endpoint(
    'approver',
    'POST',
    '/v1/enrolments/:id/approve',
    {
      summary: 'Let the host whose code was compared use the server',
      params: IdParams,
      body: ApproveEnrolmentBodySchema,
      answers: { 200: EnrolmentStateSchema },
    },
    async ({ caller, params, body }) => decideHost(caller.subject, params.id, { state: 'approved', code: body?.code }),
  );

  endpoint(
    'approver',
    'POST',
    '/v1/enrolments/:id/deny',
    { summary: 'Deny the enrolment of this host', params: IdParams, answers: { 200: EnrolmentStateSchema } },
    async ({ caller, params }) => decideHost(caller.subject, params.id, { state: 'denied' }),
  );

  endpoint(
    'reader',
    'GET',
    '/v1/audit',
    {
      summary: 'The record of everything, in order',
      querystring: AuditQuerySchema,
      answers: { 200: AuditListSchema },
    },
    async ({ query }) => {
      const limit = Number(query.limit ?? '200');
      if (limit < 1 || limit > 1000) return failed(refusal('request.malformed', 'limit must be between 1 and 1000'));
      const after = Number(query.after ?? '0');
      const found = await read(parts, async (rows) => {
        // The events are read first. If events are removed between the two reads, `removed` includes these events.
        const events = await rows.events(after, limit);
        return success({ events, removed: await rows.retention.removedRows() });
      });
      if (!found.ok) return found;
      const { events, removed } = found.value;
      const next = events.length < limit ? null : (events.at(-1)?.seq ?? null);
      const lastGone = Math.max(...removed.filter((row) => row.class !== 'requests').map(({ lastSeq }) => lastSeq), 0);
      return withBody({ events, next, cut: lastGone > after ? lastGone : null });
    },
  );

  app.delete(
    '/v1/session',
    route('reader', { summary: 'Sign out', answers: { 204: NoContent } }),
    async (request, reply) => {
      const ended = await signOut(parts, callerOf(request));
      if (ended.ok) reply.clearCookie(cookieName(parts.publicUrl()), { path: '/' });
      return sendResult(parts, reply, ended.ok ? success({ status: 204 }) : ended);
    },
  );
};
