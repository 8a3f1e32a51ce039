/** The API of a requester: ask, redeem, withdraw, report; and looking at grants, which an approver may too. */
import type { Grant } from '../../core/grant.ts';
import { failed, type Result, success } from '../../core/result.ts';
import { AskAnswerSchemas, AskBodySchema } from '../../core/wire/ask.ts';
import {
  type GrantListQuery,
  GrantListQuerySchema,
  GrantListSchema,
  GrantViewSchema,
} from '../../core/wire/grant-view.ts';
import { RedeemAnswerSchema, RedeemBodySchema } from '../../core/wire/redeem.ts';
import { ReportBodySchema } from '../../core/wire/report.ts';
import { IdParams, NoContent } from '../../core/wire/schema-parts.ts';
import type { GrantFilter, Subject } from '../../store/store.ts';
import { newestFor } from '../grants/cover-asked.ts';
import { changeGrant } from '../grants/grant-changes.ts';
import { grantView } from '../grants/grant-view.ts';
import { signedBy, signPermit } from '../grants/permit-token.ts';
import { useOf } from '../grants/use.ts';
import { visibleGrant } from '../grants/visible-grant.ts';
import { MAX_ASK_BODY_BYTES } from '../limits.ts';
import { type Refusal, refusal } from '../refusal.ts';
import { read } from '../server-ports.ts';
import { type ApiRoutes, endpointsOf, withBody } from './api-route.ts';
import { answerAsk, inTurn, recordReport } from './requester-calls.ts';

export const requesterRoutes: ApiRoutes = (app, parts) => {
  const endpoint = endpointsOf(app, parts);
  const view = (grant: Grant) => grantView(grant, parts.clock.nowMs(), parts.publicUrl());
  const shown = (grant: Result<Grant, Refusal>) => (grant.ok ? withBody(view(grant.value)) : grant);

  endpoint(
    'requester',
    'POST',
    '/v1/requests',
    {
      summary: 'Use a grant that covers the request, or file it',
      body: AskBodySchema,
      bodyLimit: MAX_ASK_BODY_BYTES,
      answers: AskAnswerSchemas,
    },
    async ({ caller, body }) => inTurn(parts, caller.subject.id, () => answerAsk(parts, caller.subject, body)),
  );

  endpoint(
    'requester',
    'POST',
    '/v1/grants/:id/redeem',
    {
      summary: 'Use an approved grant',
      params: IdParams,
      body: RedeemBodySchema,
      answers: { 200: RedeemAnswerSchema },
    },
    async ({ caller, params, body: { fingerprint, nonce, sealedOnly: isSealedOnly = false } }) => {
      const used = await inTurn(parts, caller.subject.id, () =>
        changeGrant(parts, caller.subject, params.id, { kind: 'use', fingerprint, isSealedOnly }),
      );
      if (!used.ok) return used;
      const use = useOf(used.value, fingerprint);
      const newest = await read(parts, async (rows) => success(await newestFor(rows, use)));
      if (!newest.ok) return newest;
      const permit = signPermit(signedBy(parts.serverKey), use, nonce, null, parts.clock.nowMs(), newest.value);
      return withBody({ permit });
    },
  );

  endpoint(
    'requester',
    'POST',
    '/v1/grants/:id/withdraw',
    { summary: 'Take back a request nobody has decided', params: IdParams, answers: { 200: GrantViewSchema } },
    async ({ caller, params }) => shown(await changeGrant(parts, caller.subject, params.id, { kind: 'withdraw' })),
  );

  endpoint(
    'authenticated',
    'GET',
    '/v1/grants',
    {
      summary: "Grants, newest first; a requester sees its own, an approver everyone's",
      querystring: GrantListQuerySchema,
      answers: { 200: GrantListSchema },
    },
    async ({ caller, query }) => {
      const limit = Number(query.limit ?? '50');
      if (limit < 1 || limit > 200) return failed(refusal('request.malformed', 'limit must be between 1 and 200'));
      const nowMs = parts.clock.nowMs();
      const isInTurns = query.order !== undefined;
      if (isInTurns && !mayTakeTurns(caller.subject, query))
        return failed(refusal('request.malformed', 'order=turns is for an approver, with state=pending alone'));
      const filter = filterOf(caller.subject, query, limit, nowMs);
      const grants = await read(parts, async (rows) =>
        success(isInTurns ? await rows.waitingInTurns(limit, nowMs) : await rows.grants(filter)),
      );
      return grants.ok ? withBody({ grants: grants.value.map(view) }) : grants;
    },
  );

  endpoint(
    'authenticated',
    'GET',
    '/v1/grants/:id',
    { summary: 'One grant', params: IdParams, answers: { 200: GrantViewSchema } },
    async ({ caller, params }) =>
      read(parts, async (rows) => {
        const grant = await visibleGrant(rows, params.id, caller.subject);
        if (!grant.ok) return grant;
        const match = caller.subject.role === 'requester' ? await rows.match(params.id) : undefined;
        return withBody(grantView(grant.value, parts.clock.nowMs(), parts.publicUrl(), match?.number));
      }),
  );

  endpoint(
    'requester',
    'POST',
    '/v1/reports',
    { summary: 'What the shell has to tell for the record', body: ReportBodySchema, answers: { 204: NoContent } },
    async ({ caller, body }) => inTurn(parts, caller.subject.id, () => recordReport(parts, caller.subject, body)),
  );
};

const mayTakeTurns = ({ role }: Subject, { state, before, id }: GrantListQuery): boolean =>
  role === 'approver' && state === 'pending' && before === undefined && id === undefined;

function filterOf(subject: Subject, query: GrantListQuery, limit: number, nowMs: number): GrantFilter {
  const { state, before, beforeId, id } = query;
  return {
    limit,
    nowMs,
    ...(subject.role === 'requester' ? { requesterId: subject.id } : {}),
    ...(state === undefined ? {} : { states: [state] }),
    ...(before === undefined ? {} : { beforeMs: Number(before) }),
    ...(beforeId === undefined ? {} : { beforeId }),
    ...(id === undefined ? {} : { idPrefix: id }),
  };
}
