/** The pages *People* and *Settings*. */
import { peoplePage } from '../../web/pages/people-page.ts';
import { settingsPage } from '../../web/pages/settings-page.ts';
import { breakGlassView } from '../identity/break-glass.ts';
import { listView } from '../identity/next-list.ts';
import { OWNER_ID } from '../identity/owner.ts';
import { passkeyAbove } from '../identity/passkey-above.ts';
import { listPeople } from '../identity/people.ts';
import { decidersOf } from '../identity/people-rules.ts';
import { peopleRulesView } from '../identity/people-rules-view.ts';
import { type ApiRoutes, callerOf } from './api-route.ts';
import { forReader, showPage } from './page-answers.ts';

/** The page offers at most this many requesters to choose from. */
const MAX_REQUESTERS = 200;

export const peoplePages: ApiRoutes = (app, parts) => {
  app.get('/people', forReader, (request, reply) =>
    showPage(
      parts,
      request,
      reply,
      'people',
      async (rows, nowMs) => {
        const rules = await peopleRulesView(rows, nowMs);
        const { id } = callerOf(request).subject;
        return {
          people: await listPeople(rows),
          rules: rules.ok ? rules.value : null,
          requesters: (await rows.requesters())
            .filter(({ revokedAtMs }) => revokedAtMs === null)
            .slice(0, MAX_REQUESTERS),
          breakGlass: await breakGlassView(rows, nowMs),
          list: await listView(parts, rows, id),
          reader: { id, isOwner: id === OWNER_ID },
        };
      },
      peoplePage,
    ),
  );

  app.get('/settings', forReader, (request, reply) =>
    showPage(
      parts,
      request,
      reply,
      'settings',
      async (rows, nowMs) => {
        const rules = await peopleRulesView(rows, nowMs);
        return {
          isOwner: callerOf(request).subject.id === OWNER_ID,
          passkeyAbove: await passkeyAbove(rows),
          quorum: rules.ok ? rules.value.quorum : null,
          deciders: (await decidersOf(rows)).size,
          server: { version: parts.version, publicUrl: parts.publicUrl() },
        };
      },
      settingsPage,
    ),
  );
};
