/** The pages and how one signs in. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type ApiRoutes, refuse } from './api-route.ts';
import { type Refusal, refusal } from './refusal.ts';
import type { ServerParts } from './server-ports.ts';
import { linkIsLive, setSessionCookie, signIn } from './session.ts';

export const pageRoutes: ApiRoutes = (app, parts) => {
  app.addContentTypeParser('application/x-www-form-urlencoded', (_request, _payload, done) => done(null, undefined));
  app.post<{ Params: { token: string } }>(
    '/sign-in/:token',
    { config: { audience: 'nobody', isPage: true }, schema: { hide: true } },
    async (request, reply) => {
      const secret = await signIn(parts, request.params.token);
      if (!secret.ok || secret.value === null) return refuse(parts, reply, refusal('auth.unknown', 'link used'));
      setSessionCookie(parts, reply, secret.value);
      return reply.redirect('/', 303);
    },
  );
  void linkIsLive;
};

export function sendNotSignedIn(
  _request: FastifyRequest,
  reply: FastifyReply,
  parts: ServerParts,
  refused: Refusal,
): FastifyReply {
  return refuse(parts, reply, refused);
}
