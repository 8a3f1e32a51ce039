/** The API of plans: file a plan, read its sheet, end the plan. Approvers decide on a plan through the routes for grants. */
import { type Fault, fault } from '../../core/fault.ts';
import { failed, success } from '../../core/result.ts';
import { GrantViewSchema } from '../../core/wire/grant-view.ts';
import { PlanSheetSchema } from '../../core/wire/plan.ts';
import { PlanAnswerSchemas, type PlanBody, PlanBodySchema } from '../../core/wire/plan-body.ts';
import { IdParams } from '../../core/wire/schema-parts.ts';
import type { Subject } from '../../store/store.ts';
import { changeGrant } from '../grants/grant-changes.ts';
import { grantView } from '../grants/grant-view.ts';
import { pauseAfterFiling } from '../grants/pauses.ts';
import { planSheet } from '../grants/plan-sheet.ts';
import { filePlanOf } from '../grants/plans.ts';
import { visibleGrant } from '../grants/visible-grant.ts';
import { MAX_ASK_BODY_BYTES } from '../limits.ts';
import { malformedRequest, refusal } from '../refusal.ts';
import { read } from '../server-ports.ts';
import { type ApiRoutes, endpointsOf, withBody } from './api-route.ts';
import { hostFactsRequestFault, requestFault, textFault } from './request-fault.ts';
import { inTurn, longRequestRefusal } from './requester-calls.ts';

export const planRoutes: ApiRoutes = (app, parts) => {
  const endpoint = endpointsOf(app, parts);

  endpoint(
    'requester',
    'POST',
    '/v1/plans',
    {
      summary: 'File a plan: lines and kinds of lines that are decided on together',
      body: PlanBodySchema,
      bodyLimit: MAX_ASK_BODY_BYTES,
      answers: PlanAnswerSchemas,
      keeps: () => 'answer',
    },
    async ({ caller: { subject }, body }) => {
      const fault = planBodyFault(body, subject, parts.clock.nowMs());
      if (fault !== null) return failed(malformedRequest(fault));
      const tooLong = longRequestRefusal(parts, subject.id, body.request);
      if (tooLong !== null) return failed(tooLong);
      const filed = await inTurn(parts, subject.id, () => filePlanOf(parts, subject, body));
      if (!filed.ok) return filed;
      const outcome = filed.value;
      if (outcome.kind === 'approved')
        return success({
          status: 200 as const,
          body: {
            outcome: 'approved' as const,
            grant: grantView(outcome.grant, parts.clock.nowMs(), parts.publicUrl()),
          },
        });
      if (outcome.filed) await pauseAfterFiling(parts, subject.id);
      const grant = grantView(outcome.grant, parts.clock.nowMs(), parts.publicUrl(), outcome.match);
      return success({ status: 202 as const, body: { outcome: 'pending' as const, filed: outcome.filed, grant } });
    },
  );

  endpoint(
    'authenticated',
    'GET',
    '/v1/plans/:id',
    {
      summary: 'The parts of a plan: what each part may do, and what was done',
      params: IdParams,
      answers: { 200: PlanSheetSchema },
    },
    async ({ caller, params }) =>
      read(parts, async (rows) => {
        const grant = await visibleGrant(rows, params.id, caller.subject);
        if (!grant.ok) return grant;
        if (grant.value.request.plan === undefined) return failed(refusal('grant.not_found', 'this is no plan'));
        return withBody({ parts: await planSheet(parts, rows, grant.value) });
      }),
  );

  endpoint(
    'requester',
    'POST',
    '/v1/plans/:id/done',
    {
      summary: 'End an approved plan (only the requester of the plan may)',
      params: IdParams,
      answers: { 200: GrantViewSchema },
    },
    async ({ caller, params }) => {
      const ended = await changeGrant(parts, caller.subject, params.id, { kind: 'finish' });
      return ended.ok ? withBody(grantView(ended.value, parts.clock.nowMs(), parts.publicUrl())) : ended;
    },
  );
};

function planBodyFault({ request, findings, reason }: PlanBody, subject: Subject, nowMs: number): Fault | null {
  const wrong = requestFault(request, subject, true) ?? textFault(reason);
  if (wrong !== null) return wrong;
  const { parts = [], end } = request.plan ?? {};
  if (findings.length !== parts.length) return fault('findings must have one entry for each part: host facts or null');
  if (end !== undefined && 'untilMs' in end && end.untilMs <= nowMs) return fault('the plan ends in the past');
  return findings.map(hostFactsRequestFault).find((fault) => fault !== null) ?? null;
}
