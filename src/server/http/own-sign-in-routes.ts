/** The routes for the own sign-ins of the caller: who the caller is, the list of sign-ins, and how a sign-in ends. */
import { failed, success } from '../../core/result.ts';
import { IdParams, NoContent } from '../../core/wire/schema-parts.ts';
import { EndedSignInsSchema, SignInListSchema } from '../../core/wire/sign-ins.ts';
import { WhoamiSchema } from '../../core/wire/subject.ts';
import { cookieName } from '../identity/authentication.ts';
import { signOut } from '../identity/session.ts';
import { endSignIn, endSignInsOf, signInsOf } from '../identity/sign-ins.ts';
import { refusal } from '../refusal.ts';
import { change, read } from '../server-ports.ts';
import { type ApiRoutes, callerOf, endpointsOf, noContent, route, withBody } from './api-route.ts';
import { sendResult } from './reply.ts';

/** Ending a sign-in needs no passkey. After a mistake, the person can sign in again. */
export const ownSignInRoutes: ApiRoutes = (app, parts) => {
  const endpoint = endpointsOf(app, parts);

  endpoint(
    'authenticated',
    'GET',
    '/v1/whoami',
    { summary: 'Who the caller is', answers: { 200: WhoamiSchema } },
    async ({ caller }) => {
      const { id, role, name, host, user } = caller.subject;
      return withBody({ subjectId: id, role, name, host, user });
    },
  );

  endpoint(
    'person',
    'GET',
    '/v1/sign-ins',
    { summary: 'The browsers in which this person is signed in', answers: { 200: SignInListSchema } },
    async ({ caller: { subject, session } }) =>
      read(parts, async (rows) =>
        withBody({ signIns: await signInsOf(rows, subject.id, session, parts.clock.nowMs()) }),
      ),
  );

  endpoint(
    'person',
    'POST',
    '/v1/sign-ins/:id/end',
    { summary: 'Sign one browser out, at once', params: IdParams, answers: { 204: NoContent } },
    async ({ caller: { subject }, params }) =>
      change(parts, async (rows) =>
        (await endSignIn(rows, subject.id, params.id, subject.id, parts.clock.nowMs()))
          ? success({ status: 204 as const })
          : failed(refusal('sign_in.not_found', 'you have no sign-in with this id, or this sign-in has ended')),
      ),
  );

  endpoint(
    'person',
    'POST',
    '/v1/sign-ins/end-others',
    { summary: 'Sign all other browsers of this person out, at once', answers: { 200: EndedSignInsSchema } },
    async ({ caller: { subject, session } }) =>
      change(parts, async (rows) =>
        withBody({ ended: await endSignInsOf(rows, subject.id, session, subject.id, parts.clock.nowMs()) }),
      ),
  );

  app.delete(
    '/v1/session',
    route('reader', { summary: 'Sign out', answers: { 204: NoContent } }),
    async (request, reply) => {
      const ended = await signOut(parts, callerOf(request));
      if (ended.ok) reply.clearCookie(cookieName(parts.publicUrl()), { path: '/' });
      return sendResult(parts, reply, noContent(ended));
    },
  );
};
