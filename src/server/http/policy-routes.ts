/**
 * The API of policies. A policy forbids something, or lets a requester read without an approval. Only an approver who has no limits may
 * make or end a policy. Every `reader` may read policies.
 */

import type { Fault } from '../../core/fault.ts';
import type { Policy } from '../../core/policy/policy.ts';
import { failed, type Result, success } from '../../core/result.ts';
import {
  type PolicyBody,
  PolicyBodySchema,
  PolicyListQuerySchema,
  PolicyListSchema,
  PolicyViewSchema,
} from '../../core/wire/policy.ts';
import { ReadingEvidenceSchema } from '../../core/wire/reading-evidence.ts';
import { IdParams } from '../../core/wire/schema-parts.ts';
import { PolicyToSealSchema } from '../../core/wire/sealed.ts';
import { RequesterListSchema } from '../../core/wire/subject.ts';
import { createPolicy, endPolicy, policyToSeal } from '../grants/policy-changes.ts';
import { policyView } from '../grants/policy-view.ts';
import { readingEvidence } from '../grants/reading-policy.ts';
import { malformedRequest, type Refusal, refusal } from '../refusal.ts';
import { read } from '../server-ports.ts';
import { type ApiRoutes, endpointsOf, withBody, withBodyOf } from './api-route.ts';
import { textsFault } from './request-fault.ts';

const MAX_LISTED = 500;
const MAX_POLICY_BODY_BYTES = 256 * 1024;

const shown = (policy: Result<Policy, Refusal>) => (policy.ok ? withBody(policyView(policy.value)) : policy);

const policyFault = (body: PolicyBody): Fault | null =>
  textsFault([body.reason, ...('text' in body ? [body.text ?? undefined] : body.directories)]);

export const policyRoutes: ApiRoutes = (app, parts) => {
  const endpoint = endpointsOf(app, parts);

  endpoint(
    'reader',
    'GET',
    '/v1/policies',
    {
      summary: 'At most 500 policies, the newest first; by default only those in force',
      querystring: PolicyListQuerySchema,
      answers: { 200: PolicyListSchema },
    },
    async ({ query }) => {
      const isLive = query.state !== 'ended';
      return read(parts, async (rows) =>
        withBody({ policies: (await rows.policies({ isLive, limit: MAX_LISTED })).map(policyView) }),
      );
    },
  );

  endpoint(
    'approver',
    'POST',
    '/v1/policies',
    {
      summary: 'Make a policy: forbid something even if a grant allows it, or let a requester read without asking',
      body: PolicyBodySchema,
      bodyLimit: MAX_POLICY_BODY_BYTES,
      answers: { 200: PolicyViewSchema },
      keeps: () => 'answer',
    },
    async ({ caller, body }) => {
      const fault = policyFault(body);
      if (fault !== null) return failed(malformedRequest(fault));
      return shown(await createPolicy(parts, caller.subject, body));
    },
  );

  endpoint(
    'approver',
    'POST',
    '/v1/policies/document',
    {
      summary: 'The document of a policy that allows reading, for the caller to seal; this call makes no policy',
      body: PolicyBodySchema,
      bodyLimit: MAX_POLICY_BODY_BYTES,
      answers: { 200: PolicyToSealSchema },
    },
    async ({ caller, body }) => {
      const fault = policyFault(body);
      if (fault !== null) return failed(malformedRequest(fault));
      return withBodyOf(await policyToSeal(parts, caller.subject, body));
    },
  );

  for (const method of ['POST', 'DELETE'] as const)
    endpoint(
      'approver',
      method,
      '/v1/policies/:id/end',
      { summary: 'End a policy', params: IdParams, answers: { 200: PolicyViewSchema } },
      async ({ caller, params }) => shown(await endPolicy(parts, caller.subject, params.id)),
    );

  endpoint(
    'reader',
    'GET',
    '/v1/requesters',
    { summary: 'All requesters, also revoked ones, sorted by name', answers: { 200: RequesterListSchema } },
    async () => {
      const found = await read(parts, async (rows) => success(await rows.requesters()));
      if (!found.ok) return found;
      const requesters = found.value.map(({ id, name, host, user, revokedAtMs }) => ({
        id,
        name,
        host,
        user,
        revokedAtMs,
      }));
      return withBody({ requesters });
    },
  );

  endpoint(
    'reader',
    'GET',
    '/v1/requesters/:id/reading-evidence',
    {
      summary: 'For each directory, how many past requests of a requester only read',
      params: IdParams,
      answers: { 200: ReadingEvidenceSchema },
    },
    async ({ params }) =>
      read(parts, async (rows) => {
        const requester = await rows.subject(params.id);
        if (requester?.role !== 'requester')
          return failed(refusal('requester.not_found', 'there is no such requester'));
        return withBody(readingEvidence(requester, await parts.past.of(rows, requester.id)));
      }),
  );
};
