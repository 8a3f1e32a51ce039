/** The routes with which people list and end their own sign-ins. */
import { failed, success } from '../../core/result.ts';
import { IdParams, NoContent } from '../../core/wire/schema-parts.ts';
import { EndedSignInsSchema, SignInListSchema } from '../../core/wire/sign-ins.ts';
import { endSignIn, endSignInsOf, signInsOf } from '../identity/sign-ins.ts';
import { refusal } from '../refusal.ts';
import { change, read } from '../server-ports.ts';
import { type ApiRoutes, endpointsOf, withBody } from './api-route.ts';

/** Ending a sign-in needs no passkey. After a mistake, the person can sign in again. */
export const signInListRoutes: ApiRoutes = (app, parts) => {
  const endpoint = endpointsOf(app, parts);

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
};
