/** The API of an approver: decide requests, and end approvals. */
import { failed, type Result, success } from '../../core/result.ts';
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
import { GrantViewSchema } from '../../core/wire/grant-view.ts';
import { IdParams } from '../../core/wire/schema-parts.ts';
import { BatchToSealSchema, DecisionToSealSchema } from '../../core/wire/sealed.ts';
import type { Subject } from '../../store/store.ts';
import { approvalToSeal } from '../grants/approval-to-seal.ts';
import { approveBatch, batchToSeal } from '../grants/approve-batch.ts';
import { confirmApproval } from '../grants/confirm-approval.ts';
import { changeGrant } from '../grants/grant-changes.ts';
import type { GrantCommand } from '../grants/grant-command.ts';
import { grantView } from '../grants/grant-view.ts';
import { pauseAfterDenial } from '../grants/pauses.ts';
import type { Caller } from '../identity/authentication.ts';
import { malformedRequest, type Refusal } from '../refusal.ts';
import { type ApiRoutes, endpointsOf, withBody, withBodyOf } from './api-route.ts';
import { textFault } from './request-fault.ts';

/** In bytes. A scope contains the environment of the request, and an environment can be large. */
export const MAX_APPROVAL_BODY_BYTES = 1024 * 1024;
/** In bytes. A document of a batch has no scope, and needs only a few hundred bytes. */
const MAX_BATCH_BODY_BYTES = 128 * 1024;

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
      bodyLimit: MAX_APPROVAL_BODY_BYTES,
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
      bodyLimit: MAX_APPROVAL_BODY_BYTES,
      answers: { 200: DecisionToSealSchema },
    },
    async ({ caller, params, body }) => {
      const command = approvalOf(body, caller);
      if (!command.ok) return command;
      return withBodyOf(await approvalToSeal(parts, caller.subject, params.id, command.value));
    },
  );

  endpoint(
    'decider',
    'POST',
    '/v1/approvals',
    {
      summary: 'Approve requests of one group, each once and exactly, with one confirmation or one seal for all',
      body: ApproveBatchBodySchema,
      bodyLimit: MAX_BATCH_BODY_BYTES,
      answers: { 200: BatchAnswerSchema },
    },
    async ({ caller, body }) => withBodyOf(await approveBatch(parts, caller, body)),
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
    async ({ caller, body }) => withBodyOf(await batchToSeal(parts, caller, body.grants)),
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
};
