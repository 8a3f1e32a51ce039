/** The pages, and the cards the script fetches when something changes. Nothing here changes a grant: that is the API's. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Grant } from '../../core/grant.ts';
import { success } from '../../core/result.ts';
import type { CommandScope } from '../../core/scope/command-scope.ts';
import { PreviewBodySchema } from '../../core/wire/proposals.ts';
import type { ReadingEvidence } from '../../core/wire/reading-evidence.ts';
import { IdParams } from '../../core/wire/schema-parts.ts';
import { type ListedGrant, listedGrant } from '../../store/listed-request.ts';
import type { StoreReader } from '../../store/store.ts';
import type { WebAsset } from '../../web/assets.ts';
import { previewHtml } from '../../web/command-scope-choice.ts';
import { devicesPage } from '../../web/devices-page.ts';
import { enrolmentCard } from '../../web/enrolment-card.ts';
import { grantCard, grantRowHtml } from '../../web/grant-card.ts';
import type { Html } from '../../web/html.ts';
import type { PageFrame, PageName } from '../../web/page-frame.ts';
import * as pages from '../../web/pages.ts';
import { rulesPage } from '../../web/rules-page.ts';
import { linkOverPage, notSignedInPage, signInPage } from '../../web/sign-in-pages.ts';
import { useRow } from '../../web/use-row.ts';
import { lineOf, type Past, pastIn, previewOf, proposalsFor, shownAssessment, usesOf } from '../grants/about-line.ts';
import { grantView } from '../grants/grant-view.ts';
import { addressAfter, grantsBefore, placeInHistory, usesBefore } from '../grants/history-place.ts';
import { pastUses } from '../grants/past-uses.ts';
import { policyView } from '../grants/policy-view.ts';
import { readingEvidence } from '../grants/reading-policy.ts';
import { tooManySignIns } from '../identity/challenge.ts';
import { enrolmentView } from '../identity/enrolment-view.ts';
import { passkeyPlace } from '../identity/passkey-place.ts';
import { linkIsLive, setSessionCookie, signIn } from '../identity/session.ts';
import type { Refusal } from '../refusal.ts';
import { read, type ServerParts } from '../server-ports.ts';
import { type ApiRoutes, callerOf, refuse } from './api-route.ts';
import { APPROVE_BODY_LIMIT } from './approver-routes.ts';
import { callerAddress } from './caller-address.ts';
import { devicesView } from './devices-view.ts';
import { passkeyOfferHere } from './passkey-offer-here.ts';

const MAX_CARDS = 50;
const ROWS = 50;
const MAX_RULES = 500;
const MAX_REQUESTERS = 50;
const HTML = 'text/html; charset=utf-8';
const forApprover = { config: { audience: 'approver', isPage: true }, schema: { hide: true } } as const;
const forApproverOnId = { ...forApprover, schema: { hide: true, params: IdParams } };
const publicPage = { config: { audience: 'public', isPage: true }, schema: { hide: true } } as const;

type OnId = { readonly Params: { readonly id: string } };

export const pageRoutes: ApiRoutes = (app, parts) => {
  const view = (grant: Grant) => grantView(grant, parts.clock.nowMs(), parts.publicUrl());

  /** Its line is read again for everybody who looks; the scopes only while there is something to decide. */
  async function cardOf(rows: StoreReader, past: Past, grant: ListedGrant): Promise<pages.CardView> {
    const shown = view(grant);
    if (grant.cutFrom !== undefined) return { grant: shown, about: { assessment: null, proposals: [], uses: [] } };
    const line = await lineOf(parts, rows, grant);
    const { assessment, proposals } =
      shown.state === 'pending'
        ? await proposalsFor(past, grant, line, parts.mcpRules)
        : { assessment: shownAssessment(line, grant, parts.mcpRules), proposals: [] };
    const isStanding = grant.term !== null && grant.term.kind !== 'once';
    return { grant: shown, about: { assessment, proposals, uses: isStanding ? await usesOf(rows, grant.id) : [] } };
  }

  /** Reads, then renders; the count of what waits is on every page. */
  async function show<T>(
    request: FastifyRequest,
    reply: FastifyReply,
    place: PageName,
    content: (rows: StoreReader, nowMs: number) => Promise<T>,
    render: (frame: PageFrame, value: T) => string | null,
  ) {
    const nowMs = parts.clock.nowMs();
    const found = await read(parts, async (rows) =>
      success({
        lastSeq: await rows.lastSeq(), // first: a change in between is told twice rather than never
        value: await content(rows, nowMs),
        pending: await countWaiting(rows, nowMs),
      }),
    );
    if (!found.ok) return sendTrouble(reply, parts);
    const seen = found.value;
    const csrfToken = callerOf(request).csrfToken ?? '';
    const passkeyName = passkeyPlace(parts.publicUrl())?.rpId ?? null;
    const text = render(
      { assets: parts.assets, csrfToken, nowMs, lastSeq: seen.lastSeq, pending: seen.pending, place, passkeyName },
      seen.value,
    );
    if (text !== null) return reply.type(HTML).send(text);
    return reply.code(404).type(HTML).send(pages.nothingHerePage(parts.assets, 'There is no such request.'));
  }

  app.get('/', forApprover, (request, reply) =>
    show(
      request,
      reply,
      'inbox',
      async (rows, nowMs) => {
        const inTurns = await rows.waitingInTurns(MAX_CARDS, nowMs);
        const oldestFirst = inTurns.toSorted((left, right) => left.createdAtMs - right.createdAtMs);
        const past = pastIn(parts, rows);
        const cards: pages.CardView[] = [];
        for (const grant of oldestFirst) cards.push(await cardOf(rows, past, grant));
        return { cards, enrolments: await rows.pendingEnrolments(nowMs) };
      },
      (frame, { cards, enrolments }) =>
        pages.inboxPage(
          frame,
          cards,
          enrolments.map((one) => enrolmentView(one, frame.nowMs)),
        ),
    ),
  );

  app.get('/standing', forApprover, (request, reply) =>
    show(
      request,
      reply,
      'standing',
      (rows, nowMs) => rows.grants({ isStanding: true, limit: 200, nowMs }),
      (frame, grants) => pages.standingPage(frame, grants.map(view)),
    ),
  );

  app.get<{ Querystring: { before?: string } }>('/history', forApprover, (request, reply) => {
    const place = placeInHistory(request.query.before);
    return show(
      request,
      reply,
      'history',
      async (rows, nowMs) => {
        const grants = await rows.grants({ ...grantsBefore(place), limit: ROWS, nowMs });
        const uses = await pastUses(rows, { ...usesBefore(place), limit: ROWS });
        return [
          ...grants.map((grant) => ({ atMs: grant.createdAtMs, at: { grant }, row: grantRowHtml(view(grant)) })),
          ...uses.map((use) => ({ atMs: use.atMs, at: { use }, row: useRow(use) })),
        ].sort((left, right) => right.atMs - left.atMs);
      },
      (frame, all) => {
        const shown = all.slice(0, ROWS);
        const older =
          all.length >= ROWS
            ? addressAfter(
                place,
                shown.map(({ at }) => at),
              )
            : null;
        return pages.historyPage(
          frame,
          shown.map(({ row }) => row),
          older,
        );
      },
    );
  });

  app.get('/rules', forApprover, (request, reply) =>
    show(
      request,
      reply,
      'rules',
      async (rows) => {
        const requesters: ReadingEvidence[] = [];
        for (const one of (await rows.requesters()).slice(0, MAX_REQUESTERS))
          requesters.push(readingEvidence(one, await parts.past.of(rows, one.id)));
        return { policies: (await rows.policies({ isLive: true, limit: MAX_RULES })).map(policyView), requesters };
      },
      rulesPage,
    ),
  );

  app.get('/devices', forApprover, (request, reply) =>
    show(request, reply, 'devices', (rows) => devicesView(parts, rows, callerOf(request), request), devicesPage),
  );

  app.get<OnId>('/grants/:id', forApproverOnId, (request, reply) =>
    show(
      request,
      reply,
      'grant',
      async (rows) => {
        const grant = await rows.grant(request.params.id);
        return grant === undefined ? null : cardOf(rows, pastIn(parts, rows), grant);
      },
      (frame, card) => (card === null ? null : pages.grantPage(frame, card)),
    ),
  );

  app.get<OnId>('/enrolments/:id', forApproverOnId, (request, reply) =>
    show(
      request,
      reply,
      'enrolment',
      (rows) => rows.enrolment(request.params.id),
      (frame, found) => (found === undefined ? null : pages.enrolmentPage(frame, enrolmentView(found, frame.nowMs))),
    ),
  );

  /** One card or row, as it is now; how many wait is in a header, for the title. */
  async function showPart(reply: FastifyReply, content: (rows: StoreReader) => Promise<Html | null>) {
    const found = await read(parts, async (rows) =>
      success({ part: await content(rows), pending: await countWaiting(rows, parts.clock.nowMs()) }),
    );
    if (!found.ok) return sendTrouble(reply, parts);
    const { part, pending } = found.value;
    return reply
      .code(part === null ? 404 : 200)
      .header('x-ape-pending', pending)
      .type(HTML)
      .send(part?.text ?? '');
  }

  /** As in a list, unless the whole is asked for. */
  app.get<OnId & { Querystring: { whole?: string } }>('/parts/card/:id', forApproverOnId, (request, reply) =>
    showPart(reply, async (rows) => {
      const grant = await rows.grant(request.params.id);
      if (grant === undefined) return null;
      const shown = request.query.whole === undefined ? listedGrant(grant) : grant;
      const card = await cardOf(rows, pastIn(parts, rows), shown);
      return grantCard(card.grant, card.about);
    }),
  );

  app.get<OnId>('/parts/row/:id', forApproverOnId, (request, reply) =>
    showPart(reply, async (rows) => {
      const grant = await rows.grant(request.params.id);
      return grant === undefined ? null : grantRowHtml(view(grant));
    }),
  );

  /** What an edited scope would be: the same as the API's preview, for people. Changes nothing. */
  app.post<OnId & { Body: { readonly scope: CommandScope } }>(
    '/parts/preview/:id',
    {
      ...forApproverOnId,
      schema: { ...forApproverOnId.schema, body: PreviewBodySchema },
      bodyLimit: APPROVE_BODY_LIMIT,
    },
    (request, reply) =>
      showPart(reply, async (rows) => {
        const grant = await rows.grant(request.params.id);
        if (grant === undefined) return null;
        const line = await lineOf(parts, rows, grant);
        return previewHtml(await previewOf(pastIn(parts, rows), grant, line, request.body.scope));
      }),
  );

  app.get<OnId>('/parts/enrolment/:id', forApproverOnId, (request, reply) =>
    showPart(reply, async (rows) => {
      const enrolment = await rows.enrolment(request.params.id);
      return enrolment === undefined ? null : enrolmentCard(enrolmentView(enrolment, parts.clock.nowMs()));
    }),
  );

  signInRoutes(app, parts);
  for (const asset of [parts.assets.style, parts.assets.script, parts.assets.passkeys, parts.assets.notifications])
    assetRoute(app, asset);
};

/** The database cannot be used. */
const sendTrouble = (reply: FastifyReply, { assets }: ServerParts): FastifyReply =>
  reply.code(503).header('retry-after', 1).type(HTML).send(pages.troublePage(assets));

/** An address without a route: a person gets a page, a program the error body. */
export function sendNothingHere(request: FastifyRequest, reply: FastifyReply, parts: ServerParts): FastifyReply {
  if (request.headers.accept?.includes('text/html') === true)
    return reply.code(404).type(HTML).send(pages.nothingHerePage(parts.assets, 'There is nothing at this address.'));
  return reply.code(404).send({ error: { code: 'request.malformed', message: 'there is nothing at this address' } });
}

export async function countWaiting(rows: StoreReader, nowMs: number): Promise<number> {
  return (await rows.countPending(null, nowMs)) + (await rows.pendingEnrolments(nowMs)).length;
}

const signInRoutes: ApiRoutes = (app, parts) => {
  app.addContentTypeParser('application/x-www-form-urlencoded', (_request, payload, done) => {
    payload.resume().on('end', () => done(null, undefined));
  });

  app.get<{ Params: { token: string } }>('/sign-in/:token', publicPage, async (request, reply) => {
    const isLive = await linkIsLive(parts, request.params.token);
    if (!isLive.ok) return sendTrouble(reply, parts);
    reply.type(HTML).code(isLive.value ? 200 : 410);
    return reply.send(
      isLive.value
        ? signInPage(parts.assets, request.params.token, passkeyOfferHere(parts, request))
        : linkOverPage(parts.assets),
    );
  });

  app.post<{ Params: { token: string }; Querystring: { then?: string } }>(
    '/sign-in/:token',
    publicPage,
    async (request, reply) => {
      // Looked at before it is spent: whoever has no link makes the database write nothing.
      const isLive = await linkIsLive(parts, request.params.token);
      if (!isLive.ok) return sendTrouble(reply, parts);
      const secret = isLive.value ? await signIn(parts, request.params.token) : success(null);
      if (!secret.ok) return sendTrouble(reply, parts);
      const address = callerAddress(request, parts.publicUrl());
      if (secret.value === null && !parts.budgets.failedSignIns.take(address))
        return refuse(parts, reply, tooManySignIns);
      if (secret.value === null) return reply.code(410).type(HTML).send(linkOverPage(parts.assets));
      setSessionCookie(parts, reply, secret.value);
      return reply.redirect(request.query.then === 'devices' ? '/devices' : '/', 303);
    },
  );
};

/** Its name changes with its content, so it may be kept for ever. */
function assetRoute(app: Parameters<ApiRoutes>[0], asset: WebAsset): void {
  app.get(asset.path, publicPage, (_request, reply) =>
    reply.header('cache-control', 'public, max-age=31536000, immutable').type(asset.type).send(asset.body),
  );
}

const CAME_FROM_ELSEWHERE: ReadonlySet<unknown> = new Set(['cross-site', 'same-site']);

/** What a page answers to somebody it does not know. */
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
