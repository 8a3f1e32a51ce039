/** Serves the pages of an approver. These routes change no grant. Only the routes of the API change grants. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Grant } from '../../core/grant/grant.ts';
import { MAX_IN_BATCH } from '../../core/sealed/batch-limits.ts';
import { grantRowHtml } from '../../web/cards/grant-rows.ts';
import { requestersPage } from '../../web/cards/requester-card.ts';
import { useRow } from '../../web/cards/use-row.ts';
import { devicesPage } from '../../web/pages/devices-page.ts';
import { historyPage } from '../../web/pages/history-page.ts';
import { inboxPage } from '../../web/pages/inbox-page.ts';
import * as pages from '../../web/pages/pages.ts';
import { rulesPage } from '../../web/pages/rules-page.ts';
import { standingPage } from '../../web/pages/standing-page.ts';
import { pastIn } from '../grants/about-line.ts';
import { decidedByOf } from '../grants/decided-by.ts';
import { grantView } from '../grants/grant-view.ts';
import { historyPart } from '../grants/history-part.ts';
import { historySearch } from '../grants/history-search.ts';
import { rulesView } from '../grants/rules-view.ts';
import { aboutGrant, briefsOf } from '../grants/shown-card.ts';
import { shownSealing } from '../grants/shown-sealing.ts';
import { standingPart, standingSearch } from '../grants/standing-search.ts';
import { managesRequesters } from '../grants/viewer-rights.ts';
import { enrolmentView } from '../identity/enrolment-view.ts';
import { requesterViews } from '../identity/requesters.ts';
import type { ServerParts } from '../server-ports.ts';
import { type ApiRoutes, callerOf } from './api-route.ts';
import { appRoutes } from './app-routes.ts';
import { devicesView } from './devices-view.ts';
import { forReader, forReaderOnId, HTML, type OnId, showPage } from './page-answers.ts';
import { partRoutes } from './part-routes.ts';
import { peoplePages } from './people-pages.ts';
import { sendMalformed } from './reply.ts';
import { signInRoutes } from './sign-in-routes.ts';

/** The maximum number of requests in the inbox. One batch can contain all requests of the inbox. */
const MAX_BRIEFS = MAX_IN_BATCH;
/** The maximum number of requesters that the history page offers as a choice. */
const MAX_TO_CHOOSE = 500;

export const pageRoutes: ApiRoutes = (app, parts) => {
  inboxRoute(app, parts);
  historyRoute(app, parts);
  const view = (grant: Grant) => grantView(grant, parts.clock.nowMs(), parts.publicUrl());

  app.get<{ Querystring: { before?: string } }>('/standing', forReader, (request, reply) => {
    const search = standingSearch({ ...request.query });
    return showPage(
      parts,
      request,
      reply,
      'standing',
      async (rows) => {
        const found = await standingPart(parts, rows, request.query.before, search);
        return { ...found, decidedBy: await decidedByOf(rows, found.grants) };
      },
      (frame, found) => standingPage(frame, { search, ...found }),
    );
  });

  app.get('/requesters', forReader, (request, reply) =>
    showPage(
      parts,
      request,
      reply,
      'requesters',
      async (rows) => ({
        requesters: await requesterViews(rows, parts.serverKey.publicKey),
        isManager: await managesRequesters(rows, callerOf(request).subject),
      }),
      requestersPage,
    ),
  );

  app.get('/rules', forReader, (request, reply) =>
    showPage(parts, request, reply, 'rules', (rows) => rulesView(parts, rows, callerOf(request).subject), rulesPage),
  );

  app.get('/devices', forReader, (request, reply) =>
    showPage(
      parts,
      request,
      reply,
      'devices',
      (rows) => devicesView(parts, rows, callerOf(request), request),
      devicesPage,
    ),
  );

  app.get<OnId>('/grants/:id', forReaderOnId, (request, reply) =>
    showPage(
      parts,
      request,
      reply,
      'grant',
      async (rows) => {
        const grant = await rows.grant(request.params.id);
        if (grant === undefined) return null;
        return {
          grant: view(grant),
          about: await aboutGrant(parts, rows, pastIn(parts, rows), grant, callerOf(request).subject),
        };
      },
      (frame, card) => (card === null ? null : pages.grantPage(frame, card)),
    ),
  );

  app.get<OnId>('/enrolments/:id', forReaderOnId, (request, reply) =>
    showPage(
      parts,
      request,
      reply,
      'enrolment',
      async (rows, nowMs) => {
        const found = await rows.enrolment(request.params.id);
        if (found === undefined) return null;
        const isManager = await managesRequesters(rows, callerOf(request).subject);
        return { enrolment: enrolmentView(parts, found, nowMs, await rows.requesters()), isManager };
      },
      (frame, found) => (found === null ? null : pages.enrolmentPage(frame, found.enrolment, found.isManager)),
    ),
  );

  peoplePages(app, parts);
  partRoutes(app, parts);
  signInRoutes(app, parts);
  appRoutes(app, parts);
};

const inboxRoute: ApiRoutes = (app, parts) => {
  app.get('/', forReader, (request, reply) =>
    showPage(
      parts,
      request,
      reply,
      'inbox',
      async (rows, nowMs) => {
        const viewer = callerOf(request).subject;
        const oldestFirst = async () =>
          (await rows.waitingInTurns(MAX_BRIEFS, nowMs)).toSorted(
            (left, right) => left.createdAtMs - right.createdAtMs,
          );
        const enrolments = async () => {
          const asking = await rows.pendingEnrolments(nowMs);
          const requesters = asking.length === 0 ? [] : await rows.requesters();
          return asking.map((one) => enrolmentView(parts, one, nowMs, requesters));
        };
        const [briefs, asking, requesters, waiting, isManager, sealing] = await Promise.all([
          oldestFirst().then((grants) => briefsOf(parts, rows, grants, viewer)),
          enrolments(),
          requesterViews(rows, parts.serverKey.publicKey),
          rows.countPending(nowMs),
          managesRequesters(rows, viewer),
          shownSealing(parts, rows, viewer),
        ]);
        const paused = requesters.filter((one) => one.pause !== null && one.revokedAtMs === null);
        return { briefs, enrolments: asking, paused, waiting, isManager, sealing };
      },
      inboxPage,
    ),
  );
};

const historyRoute: ApiRoutes = (app, parts) => {
  app.get<{ Querystring: { before?: string } }>('/history', forReader, (request, reply) => {
    const search = historySearch({ ...request.query });
    return showPage(
      parts,
      request,
      reply,
      'history',
      async (rows) => {
        const shown = async () => {
          const part = await historyPart(parts, rows, request.query.before, search);
          const grants = part.entries.flatMap((entry) => (entry.kind === 'grant' ? [entry.grant] : []));
          return { ...part, decidedBy: await decidedByOf(rows, grants) };
        };
        const [part, removed, requesters] = await Promise.all([
          shown(),
          rows.retention.removedRows(),
          rows.requesters(),
        ]);
        return { ...part, removed, requesters: requesters.slice(0, MAX_TO_CHOOSE) };
      },
      (frame, { entries, decidedBy, older, lookedBackToMs, removed, requesters }) => {
        const shown = entries.map((entry) =>
          entry.kind === 'grant' ? grantRowHtml(entry.grant, decidedBy.get(entry.grant.id)) : useRow(entry.use),
        );
        return historyPage(frame, { search, rows: shown, older, lookedBackToMs, removed, requesters });
      },
    );
  });
};

/** Replies to a request whose address has no route. A browser gets a page; any other client gets a problem (RFC 9457). */
export function sendNothingHere(request: FastifyRequest, reply: FastifyReply, parts: ServerParts): FastifyReply {
  if (request.headers.accept?.includes('text/html') === true)
    return reply.code(404).type(HTML).send(pages.nothingHerePage(parts.assets, 'There is nothing at this address.'));
  return sendMalformed(reply, 404, 'there is nothing at this address');
}
