/**
 * The API of break-glass codes. Approvers and auditors see the names of the codes. The owner makes and ends codes. People use a code on the
 * sign-in page.
 */
import { failed, success } from '../../core/result.ts';
import { BreakGlassBodySchema, BreakGlassMadeSchema, BreakGlassViewSchema } from '../../core/wire/people.ts';
import { IdParams, NoContent } from '../../core/wire/schema-parts.ts';
import { breakGlassView, endBreakGlass, makeBreakGlass } from '../identity/break-glass.ts';
import { confirmByPasskey } from '../identity/confirm-by-passkey.ts';
import { malformedRequest } from '../refusal.ts';
import { change, read } from '../server-ports.ts';
import { type ApiRoutes, endpointsOf, noContent, withBody } from './api-route.ts';
import { ownerOnly } from './owner-only.ts';
import { nameFault } from './request-fault.ts';

export const breakGlassRoutes: ApiRoutes = (app, parts) => {
  const endpoint = endpointsOf(app, parts);

  endpoint(
    'reader',
    'GET',
    '/v1/break-glass',
    {
      summary: 'The names of unused break-glass codes, and who decides with a code now',
      answers: { 200: BreakGlassViewSchema },
    },
    async () => read(parts, async (rows) => withBody(await breakGlassView(rows, parts.clock.nowMs()))),
  );

  endpoint(
    'approver',
    'POST',
    '/v1/break-glass',
    {
      summary: 'Make a break-glass code; only this answer shows the code',
      body: BreakGlassBodySchema,
      answers: { 201: BreakGlassMadeSchema },
    },
    async ({ caller, body: { name, assertion } }) => {
      const fault = nameFault(name, 'code');
      const refused =
        ownerOnly(caller) ??
        (fault === null ? null : malformedRequest(fault)) ??
        (await confirmByPasskey(parts, caller, { verb: 'break-glass', about: name }, assertion));
      if (refused !== null) return failed(refused);
      return change(parts, async (rows) => {
        const at = { by: caller.subject.id, nowMs: parts.clock.nowMs() };
        const made = await makeBreakGlass(rows, name.trim(), at, parts.random);
        return made.ok ? success({ status: 201 as const, body: made.value }) : made;
      });
    },
  );

  endpoint(
    'approver',
    'POST',
    '/v1/break-glass/:id/end',
    {
      summary: 'Remove a break-glass code; after that, people who signed in with this code cannot decide',
      params: IdParams,
      answers: { 204: NoContent },
    },
    async ({ caller, params }) => {
      const wrong = ownerOnly(caller);
      if (wrong !== null) return failed(wrong);
      return change(parts, async (rows) =>
        noContent(await endBreakGlass(rows, params.id, { by: caller.subject.id, nowMs: parts.clock.nowMs() })),
      );
    },
  );
};
