/** The API of a requester: ask, redeem, withdraw, report, and read grants. Approvers read grants here too. */
import type { Grant } from '../../core/grant/grant.ts';
import { failed, type Result, success } from '../../core/result.ts';
import { type AskAnswer, AskAnswerSchemas, AskBodySchema } from '../../core/wire/ask.ts';
import {
  type GrantListQuery,
  GrantListQuerySchema,
  GrantListSchema,
  GrantViewSchema,
} from '../../core/wire/grant-view.ts';
import { RedeemAnswerSchema, RedeemBodySchema } from '../../core/wire/redeem.ts';
import { ReportBodySchema } from '../../core/wire/report.ts';
import { IdParams, NoContent } from '../../core/wire/schema-parts.ts';
import { hostFactsDigest } from '../../platform/host-facts-digest.ts';
import type { GrantFilter, Subject } from '../../store/store.ts';
import { approversSequenceFor } from '../grants/cover-asked.ts';
import { changeGrant } from '../grants/grant-changes.ts';
import { grantView, pausedMember } from '../grants/grant-view.ts';
import { signedBy, signPermit } from '../grants/permit-token.ts';
import { useOf } from '../grants/use.ts';
import { visibleGrant } from '../grants/visible-grant.ts';
import type { KeptAnswer } from '../idempotency.ts';
import { MAX_ASK_BODY_BYTES } from '../limits.ts';
import { malformedRequest, type Refusal, refusal } from '../refusal.ts';
import { read } from '../server-ports.ts';
import { type ApiRoutes, endpointsOf, withBody } from './api-route.ts';
import { hostFactsRequestFault } from './request-fault.ts';
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
      summary: 'Use a grant that covers the request, or file the request',
      body: AskBodySchema,
      bodyLimit: MAX_ASK_BODY_BYTES,
      answers: AskAnswerSchemas,
      keeps: keepsOfAsk,
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
      bodyLimit: MAX_ASK_BODY_BYTES,
      answers: { 200: RedeemAnswerSchema },
    },
    async ({ caller, params, body: { fingerprint, nonce, sealedOnly: isSealedOnly = false, findings } }) => {
      const hostFacts = findings ?? null;
      const fault = hostFactsRequestFault(hostFacts);
      if (fault !== null) return failed(malformedRequest(fault));
      const used = await inTurn(parts, caller.subject.id, () =>
        changeGrant(parts, caller.subject, params.id, { kind: 'use', fingerprint, isSealedOnly, hostFacts }),
      );
      if (!used.ok) return used;
      const use = useOf(used.value, fingerprint);
      const newest = await read(parts, async (rows) => success(await approversSequenceFor(rows, use)));
      if (!newest.ok) return newest;
      const permit = signPermit(signedBy(parts.serverKey), use, {
        nonce,
        hostFactsDigest: hostFactsDigest(hostFacts),
        approversSequence: newest.value,
        nowMs: parts.clock.nowMs(),
      });
      return withBody({ permit });
    },
  );

  endpoint(
    'requester',
    'POST',
    '/v1/grants/:id/withdraw',
    { summary: 'Take back a request that is not decided yet', params: IdParams, answers: { 200: GrantViewSchema } },
    async ({ caller, params }) => shown(await changeGrant(parts, caller.subject, params.id, { kind: 'withdraw' })),
  );

  endpoint(
    'authenticated',
    'GET',
    '/v1/grants',
    {
      summary: 'Grants, newest first unless `order` is given; a requester sees only its own',
      querystring: GrantListQuerySchema,
      answers: { 200: GrantListSchema },
    },
    async ({ caller, query }) => {
      const limit = Number(query.limit ?? '50');
      if (limit < 1 || limit > 200) return failed(refusal('request.malformed', 'limit must be between 1 and 200'));
      const nowMs = parts.clock.nowMs();
      if (query.cursor !== undefined && (query.before !== undefined || query.beforeId !== undefined))
        return failed(refusal('request.malformed', 'give either cursor, or before and beforeId'));
      const isInTurns = query.order !== undefined;
      if (isInTurns && !mayTakeTurns(caller.subject, query))
        return failed(
          refusal(
            'request.malformed',
            'order=turns needs state=pending, allows no other filter, and is not for a requester',
          ),
        );
      const filter = filterOf(caller.subject, query, limit, nowMs);
      const grants = await read(parts, async (rows) =>
        success(isInTurns ? await rows.waitingInTurns(limit, nowMs) : await rows.grants(filter)),
      );
      if (!grants.ok) return grants;
      const shownGrants = grants.value.map(view);
      return withBody(
        isInTurns ? { grants: shownGrants } : { grants: shownGrants, next: nextCursor(grants.value, limit) },
      );
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
        const isPaused = (await rows.pause(grant.value.requesterId)) !== undefined;
        const view = grantView(grant.value, parts.clock.nowMs(), parts.publicUrl(), match?.number);
        return withBody({ ...view, ...pausedMember(isPaused) });
      }),
  );

  endpoint(
    'requester',
    'POST',
    '/v1/reports',
    {
      summary: 'Report an event of the shell for the record',
      body: ReportBodySchema,
      answers: { 204: NoContent },
      keeps: () => 'answer',
    },
    async ({ caller, body }) => inTurn(parts, caller.subject.id, () => recordReport(parts, caller.subject, body)),
  );
};

/** A permit is given only once. A caller that lost its permit asks with a new idempotency key. The new ask counts as another use. */
function keepsOfAsk({ status, body }: { readonly status: number; readonly body?: unknown }): KeptAnswer {
  if (status === 202) return 'answer';
  return (body as AskAnswer).outcome === 'permitted' ? 'once' : 'nothing';
}

/**
 * Whether `order=turns` is allowed. A requester may not use it. The query must have `state=pending` and no other filter (`waitingInTurns`).
 */
const mayTakeTurns = ({ role }: Subject, { limit: _, order: __, state, ...others }: GrantListQuery): boolean =>
  role !== 'requester' && state === 'pending' && Object.values(others).every((value) => value === undefined);

/** Returns the cursor of the next page. Returns null for a page that is not full, because no page follows. */
function nextCursor(page: readonly Grant[], limit: number): string | null {
  const last = page.at(-1);
  return last === undefined || page.length < limit ? null : `${last.createdAtMs}.${last.id}`;
}

function placeOf(cursor: string): readonly [string, string] {
  const dot = cursor.indexOf('.');
  return [cursor.slice(0, dot), cursor.slice(dot + 1)];
}

function filterOf(subject: Subject, query: GrantListQuery, limit: number, nowMs: number): GrantFilter {
  const { state, cursor, id } = query;
  const [before, beforeId] = cursor === undefined ? [query.before, query.beforeId] : placeOf(cursor);
  return {
    limit,
    nowMs,
    ...(subject.role === 'requester' ? { requesterId: subject.id } : {}),
    ...(state === undefined ? {} : { states: [state] }),
    ...(query.kind === 'plan' ? { isPlan: true } : {}),
    ...(before === undefined ? {} : { beforeMs: Number(before) }),
    ...(beforeId === undefined ? {} : { beforeId }),
    ...(id === undefined ? {} : { idPrefix: id }),
  };
}
