/** The API of enrolments. A host asks for its enrolment, and needs no token. An approver compares the code, and decides. */
import { failed, success } from '../../core/result.ts';
import {
  ApproveEnrolmentBodySchema,
  EnrolAnswerSchema,
  EnrolBodySchema,
  EnrolmentListQuerySchema,
  EnrolmentListSchema,
  EnrolmentStateSchema,
  EnrolNonceAnswerSchema,
  EnrolNonceBodySchema,
} from '../../core/wire/enrolment.ts';
import { IdParams } from '../../core/wire/schema-parts.ts';
import type { Subject } from '../../store/store.ts';
import { decideEnrolment, type EnrolmentVerdict, requestEnrolment, revealNonce } from '../identity/enrolment.ts';
import { enrolmentState, enrolmentView } from '../identity/enrolment-view.ts';
import { refusal } from '../refusal.ts';
import { read } from '../server-ports.ts';
import { type ApiRoutes, endpointsOf, withBody } from './api-route.ts';

export const enrolmentRoutes: ApiRoutes = (app, parts) => {
  const endpoint = endpointsOf(app, parts);

  endpoint(
    'public',
    'POST',
    '/v1/enrolments',
    {
      summary: 'Ask for the enrolment of a host; the host then sends its nonce',
      body: EnrolBodySchema,
      answers: { 201: EnrolAnswerSchema },
    },
    async ({ body, address }) => {
      const asked = await requestEnrolment(parts, body, address);
      if (!asked.ok) return asked;
      const { id, expiresAtMs } = asked.value;
      const url = `${parts.publicUrl()}/enrolments/${id}`;
      return success({ status: 201, body: { enrolmentId: id, url, expiresAtMs } });
    },
  );

  endpoint(
    'public',
    'POST',
    '/v1/enrolments/:id/nonce',
    {
      summary: 'Send the nonce of the commitment, once; then the page shows the code of the enrolment',
      params: IdParams,
      body: EnrolNonceBodySchema,
      answers: { 200: EnrolNonceAnswerSchema },
    },
    async ({ params, body }) => {
      const code = await revealNonce(parts, params.id, body.nonce);
      return code.ok ? withBody({ code: code.value }) : code;
    },
  );

  endpoint(
    'public',
    'GET',
    '/v1/enrolments/:id',
    { summary: 'The state of an enrolment', params: IdParams, answers: { 200: EnrolmentStateSchema } },
    async ({ params }) =>
      read(parts, async (rows) => {
        const enrolment = await rows.enrolment(params.id);
        return enrolment === undefined
          ? failed(refusal('enrolment.not_found', 'there is no such enrolment'))
          : withBody(enrolmentState(enrolment, parts));
      }),
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
      return read(parts, async (rows) => {
        const requesters = await rows.requesters();
        const waiting = await rows.pendingEnrolments(nowMs);
        return withBody({ enrolments: waiting.map((one) => enrolmentView(parts, one, nowMs, requesters)) });
      });
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
      summary: 'Approve a host after its code was compared',
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
};
