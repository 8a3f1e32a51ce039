/** Signs a person in by a link, and answers a person who is not signed in. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { success } from '../../core/result.ts';
import * as pages from '../../web/pages/pages.ts';
import { linkOverPage, notSignedInPage, signInPage } from '../../web/pages/sign-in-pages.ts';
import { isOurOrigin } from '../bind.ts';
import { tooManySignIns } from '../identity/challenge.ts';
import { linkIsLive, setSessionCookie, signIn } from '../identity/session.ts';
import type { Refusal } from '../refusal.ts';
import type { ServerParts } from '../server-ports.ts';
import { type ApiRoutes, refuse } from './api-route.ts';
import { callerAddress } from './caller-address.ts';
import { HTML, publicPage, sendTrouble } from './page-answers.ts';
import { passkeyOfferHere } from './passkey-offer-here.ts';

const CAME_FROM_ELSEWHERE: ReadonlySet<unknown> = new Set(['cross-site', 'same-site']);

export const signInRoutes: ApiRoutes = (app, parts) => {
  app.addContentTypeParser('application/x-www-form-urlencoded', (_request, payload, done) => {
    payload.resume().on('end', () => done(null, undefined));
  });

  app.get<{ Params: { token: string } }>('/sign-in/:token', publicPage, async (request, reply) => {
    const live = await linkIsLive(parts, request.params.token);
    if (!live.ok) return sendTrouble(reply, parts);
    // The other pages of this server have the referrer policy `no-referrer`. With that policy, a browser sends `Origin: null` with a form.
    // A form of another site can send `Origin: null` too. The sign-in page has another policy: the server must recognize the form of this
    // page.
    reply
      .type(HTML)
      .header('referrer-policy', 'same-origin')
      .code(live.value ? 200 : 410);
    return reply.send(
      live.value
        ? signInPage(parts.assets, request.params.token, passkeyOfferHere(parts, request))
        : linkOverPage(parts.assets),
    );
  });

  app.post<{ Params: { token: string }; Querystring: { then?: string } }>(
    '/sign-in/:token',
    publicPage,
    async (request, reply) => {
      const { basePath } = parts.assets;
      // A page of another site must not sign a browser in, because that site would choose the account. This route redirects the browser to
      // the sign-in page, where the person decides.
      if (isFromElsewhere(request, parts.publicUrl()))
        return reply.redirect(`${basePath}/sign-in/${encodeURIComponent(request.params.token)}`, 303);
      // Checks the link before `signIn`: a caller without a valid link must not cause a write.
      const live = await linkIsLive(parts, request.params.token);
      if (!live.ok) return sendTrouble(reply, parts);
      const secret = live.value
        ? await signIn(parts, request.params.token, request.headers['user-agent'])
        : success(null);
      if (!secret.ok) return sendTrouble(reply, parts);
      const address = callerAddress(request, parts.publicUrl());
      if (secret.value === null && !parts.budgets.failedSignIns.take(address))
        return refuse(parts, reply, tooManySignIns);
      if (secret.value === null) return reply.code(410).type(HTML).send(linkOverPage(parts.assets));
      setSessionCookie(parts, reply, secret.value);
      return reply.redirect(basePath + (request.query.then === 'devices' ? '/devices' : '/'), 303);
    },
  );
};

/**
 * Whether a page of another site sent the form. Browsers send `Sec-Fetch-Site` only over https or to their own machine, and older browsers
 * never send that header. All browsers send `Origin` with a form. If both headers are missing, the client is no browser.
 */
function isFromElsewhere({ headers }: FastifyRequest, publicUrl: string): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return CAME_FROM_ELSEWHERE.has(site);
  return headers.origin !== undefined && !isOurOrigin(headers.origin, headers.host, publicUrl);
}

/**
 * Answers the request for a page in three cases: no person is signed in, the person's role must not see the page, or the database failed.
 * The cookie has `SameSite=Strict`: a browser that follows a link on another site sends no cookie. The answer for this browser is a page
 * that opens the same address once more (`samePlacePage`).
 */
export function sendNotSignedIn(
  request: FastifyRequest,
  reply: FastifyReply,
  parts: ServerParts,
  refused: Refusal,
): FastifyReply {
  if (refused.code.startsWith('server.')) return sendTrouble(reply, parts);
  if (refused.code === 'auth.forbidden') return refuse(parts, reply, refused);
  const [path, query] = request.url.split('?');
  const isFirstTry = query === undefined || !new URLSearchParams(query).has('again');
  if (refused.code === 'auth.missing' && isFirstTry && CAME_FROM_ELSEWHERE.has(request.headers['sec-fetch-site'])) {
    const address = `${path}?${query === undefined ? '' : `${query}&`}again`;
    return reply.type(HTML).send(pages.samePlacePage(parts.assets, address));
  }
  return reply
    .code(401)
    .type(HTML)
    .send(notSignedInPage(parts.assets, passkeyOfferHere(parts, request)));
}
