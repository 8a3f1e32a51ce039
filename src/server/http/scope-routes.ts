/** The API for scopes: proposals for a request, previews of scopes, and explanations of grants. */
import type { Grant } from '../../core/grant/grant.ts';
import { success } from '../../core/result.ts';
import { scopeFactsOf } from '../../core/scope/conditions.ts';
import { coverLine } from '../../core/scope/cover-line.ts';
import { uncoveredTexts } from '../../core/scope/miss-text.ts';
import { proposeScopes } from '../../core/scope/propose.ts';
import { exactOnly } from '../../core/scope/scope-fault.ts';
import { PreviewAnswerSchema, PreviewBodySchema, ProposalsAnswerSchema } from '../../core/wire/proposals.ts';
import { IdParams } from '../../core/wire/schema-parts.ts';
import { type WhyAnswer, WhyAnswerSchema } from '../../core/wire/why.ts';
import type { StoreReader, Subject } from '../../store/store.ts';
import {
  type GrantLine,
  lineOf,
  pastIn,
  previewOf,
  proposalsFor,
  shownAssessment,
  usesOf,
} from '../grants/about-line.ts';
import { callProposals } from '../grants/call-scopes.ts';
import { grantView } from '../grants/grant-view.ts';
import { visibleGrant } from '../grants/visible-grant.ts';
import { read, type ServerParts } from '../server-ports.ts';
import { type ApiRoutes, endpointsOf, withBody } from './api-route.ts';
import { MAX_APPROVAL_BODY_BYTES } from './approver-routes.ts';

export const scopeRoutes: ApiRoutes = (app, parts) => {
  const endpoint = endpointsOf(app, parts);

  /** Returns the grant and its line; a refusal if the caller may not see the grant, or the grant does not exist. */
  async function lineFor(rows: StoreReader, grantId: string, caller: Subject) {
    const grant = await visibleGrant(rows, grantId, caller);
    return grant.ok ? success({ grant: grant.value, line: await lineOf(parts, rows, grant.value) }) : grant;
  }

  endpoint(
    'reader',
    'GET',
    '/v1/grants/:id/proposals',
    {
      summary: 'What the request would do, and the scopes that an approver may give it, the widest last',
      params: IdParams,
      answers: { 200: ProposalsAnswerSchema },
    },
    async ({ caller, params }) =>
      read(parts, async (rows) => {
        const about = await lineFor(rows, params.id, caller.subject);
        if (!about.ok) return about;
        return withBody(await proposalsFor(pastIn(parts, rows), about.value.grant, about.value.line, parts.mcpRules));
      }),
  );

  endpoint(
    'decider',
    'POST',
    '/v1/grants/:id/preview',
    {
      summary:
        'Whether a scope may be given for the request, and what else the scope would have covered; changes nothing',
      params: IdParams,
      body: PreviewBodySchema,
      bodyLimit: MAX_APPROVAL_BODY_BYTES,
      answers: { 200: PreviewAnswerSchema },
    },
    async ({ caller, params, body }) =>
      read(parts, async (rows) => {
        const about = await lineFor(rows, params.id, caller.subject);
        if (!about.ok) return about;
        return withBody(await previewOf(pastIn(parts, rows), about.value.grant, about.value.line, body.scope));
      }),
  );

  endpoint(
    'authenticated',
    'GET',
    '/v1/grants/:id/why',
    {
      summary: 'Who decided, the effects of the line, and the reasons why no standing grant covers it',
      params: IdParams,
      answers: { 200: WhyAnswerSchema },
    },
    async ({ caller, params }) =>
      read(parts, async (rows) => {
        const about = await lineFor(rows, params.id, caller.subject);
        if (!about.ok) return about;
        return withBody(await whyOf(parts, rows, about.value, caller.subject.role === 'requester'));
      }),
  );
};

async function whyOf(
  parts: ServerParts,
  rows: StoreReader,
  { grant, line }: { readonly grant: Grant; readonly line: GrantLine },
  isForRequester: boolean,
): Promise<WhyAnswer> {
  const decider = grant.decidedBy === null ? undefined : await rows.subject(grant.decidedBy);
  // The name of a break-glass code can say where the envelope with the code is. Therefore requesters do not get the name.
  const isUnnamed = isForRequester && decider?.role === 'break-glass';
  const match = isForRequester ? ((await rows.match(grant.id))?.number ?? null) : null;
  const offered =
    callProposals(parts.mcpRules, grant.request) ??
    proposeScopes({ request: grant.request, assessment: line.assessment }, line.place);
  return {
    grant: grantView(grant, parts.clock.nowMs(), parts.publicUrl(), match),
    decidedBy: decider === undefined ? null : { id: decider.id, name: isUnnamed ? 'a break-glass code' : decider.name },
    assessment: shownAssessment(line, grant, parts.mcpRules),
    proposals: offered.map(({ title }) => title),
    coverable: await coverability(parts, rows, grant, line),
    uses: await usesOf(rows, grant.id),
  };
}

/** Whether standing grants could cover the line, and why the present standing grants do not; see `WhyAnswer`. */
async function coverability(
  parts: ServerParts,
  rows: StoreReader,
  grant: Grant,
  { assessment, place }: GrantLine,
): Promise<WhyAnswer['coverable']> {
  const offered = callProposals(parts.mcpRules, grant.request);
  if (offered !== null)
    return { isCoverable: offered.length > 1, advice: offered.length > 1 ? [] : [offered[0]?.title ?? 'exactly this'] };
  if (assessment === null) return { isCoverable: false, advice: [`a ${grant.request.kind} is approved exactly`] };
  const advice = assessment.opaque.map((each) => `${each.source}: ${each.reason}; ${each.advice}`);
  const reason = exactOnly({ assessment });
  if (reason !== null) return { isCoverable: false, advice: advice.length > 0 ? advice : [`the line ${reason}`] };
  const nowMs = parts.clock.nowMs();
  await parts.standing.catchUp(rows);
  const candidates = await parts.standing.candidates(rows, grant.requesterId, nowMs);
  const coverage = coverLine(
    assessment.requiredPermissions ?? [],
    candidates,
    scopeFactsOf(grant.request, nowMs, place.cwd, place.confinementLevel),
  );
  return { isCoverable: true, advice: coverage.kind === 'covered' ? [] : uncoveredTexts(coverage) };
}
