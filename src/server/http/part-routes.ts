/**
 * Serves the cards and rows that the script of the pages fetches after a change. These routes change nothing. A route answers 404 if it has
 * nothing to show.
 */
import type { CommandScope } from '../../core/scope/command-scope.ts';
import { PreviewBodySchema } from '../../core/wire/proposals.ts';
import { listedGrant } from '../../store/listed-request.ts';
import type { StoreReader, Subject } from '../../store/store.ts';
import { previewHtml } from '../../web/cards/command-scope-choice.ts';
import { enrolmentCard } from '../../web/cards/enrolment-card.ts';
import { grantCard } from '../../web/cards/grant-card.ts';
import { briefHtml, grantRowHtml } from '../../web/cards/grant-rows.ts';
import { lineOf, pastIn, previewOf } from '../grants/about-line.ts';
import { decidedByIn } from '../grants/decided-by.ts';
import { grantView } from '../grants/grant-view.ts';
import { aboutGrant, briefsOf } from '../grants/shown-card.ts';
import { managesRequesters, rightsIn } from '../grants/viewer-rights.ts';
import { enrolmentView } from '../identity/enrolment-view.ts';
import { type ApiRoutes, callerOf } from './api-route.ts';
import { MAX_APPROVAL_BODY_BYTES } from './approver-routes.ts';
import { forReaderOnId, type OnId, showPart } from './page-answers.ts';

export const partRoutes: ApiRoutes = (app, parts) => {
  /** Serves the short card, as it is in a list. With the parameter `whole`, serves the complete card. */
  app.get<OnId & { Querystring: { whole?: string } }>('/parts/card/:id', forReaderOnId, (request, reply) =>
    showPart(parts, request, reply, (rows) =>
      cardOf(rows, callerOf(request).subject, request.params.id, request.query.whole !== undefined),
    ),
  );

  async function cardOf(rows: StoreReader, viewer: Subject, id: string, isWhole: boolean) {
    const grant = await rows.grant(id);
    if (grant === undefined) return null;
    const shown = isWhole ? grant : listedGrant(grant);
    const about = await aboutGrant(parts, rows, pastIn(parts, rows), shown, viewer);
    return grantCard(grantView(shown, parts.clock.nowMs(), parts.publicUrl()), about);
  }

  /**
   * Serves the card of the next request: the oldest request that this person can approve. Considers only the requests that the inbox shows,
   * but not the request `:id`.
   */
  app.get<OnId>('/parts/next/:id', forReaderOnId, (request, reply) =>
    showPart(parts, request, reply, async (rows) => {
      const waiting = await rows.waitingInTurns(NEXT_AMONG, parts.clock.nowMs());
      const others = waiting.filter(({ id }) => id !== request.params.id);
      const viewer = callerOf(request).subject;
      const rightsOf = await rightsIn(parts, rows, viewer, parts.clock.nowMs());
      for (const grant of others.toSorted((left, right) => left.createdAtMs - right.createdAtMs))
        if ((await rightsOf(grant)).whyNotApprove === null) return cardOf(rows, viewer, grant.id, true);
      return null;
    }),
  );

  app.get<OnId>('/parts/row/:id', forReaderOnId, (request, reply) =>
    showPart(parts, request, reply, async (rows) => {
      const grant = await rows.grant(request.params.id);
      if (grant === undefined) return null;
      return grantRowHtml(grantView(grant, parts.clock.nowMs(), parts.publicUrl()), await decidedByIn(rows)(grant));
    }),
  );

  app.get<OnId>('/parts/brief/:id', forReaderOnId, (request, reply) =>
    showPart(parts, request, reply, async (rows) => {
      const grant = await rows.grant(request.params.id);
      const [brief] =
        grant === undefined ? [] : await briefsOf(parts, rows, [listedGrant(grant)], callerOf(request).subject);
      return brief === undefined ? null : briefHtml(brief);
    }),
  );

  /** The preview of an edited scope as HTML. Programs get the preview from `/v1/grants/:id/preview`. */
  app.post<OnId & { Body: { readonly scope: CommandScope } }>(
    '/parts/preview/:id',
    {
      ...forReaderOnId,
      schema: { ...forReaderOnId.schema, body: PreviewBodySchema },
      bodyLimit: MAX_APPROVAL_BODY_BYTES,
    },
    (request, reply) =>
      showPart(parts, request, reply, async (rows) => {
        const grant = await rows.grant(request.params.id);
        if (grant === undefined) return null;
        const line = await lineOf(parts, rows, grant);
        return previewHtml(await previewOf(pastIn(parts, rows), grant, line, request.body.scope));
      }),
  );

  app.get<OnId>('/parts/enrolment/:id', forReaderOnId, (request, reply) =>
    showPart(parts, request, reply, async (rows) => {
      const enrolment = await rows.enrolment(request.params.id);
      return enrolment === undefined
        ? null
        : enrolmentCard(
            enrolmentView(parts, enrolment, parts.clock.nowMs(), await rows.requesters()),
            await managesRequesters(rows, callerOf(request).subject),
          );
    }),
  );
};

/** The maximum number of requests that the inbox shows. */
const NEXT_AMONG = 50;
