/** The page for notifications, its script, and the service worker. */
import { success } from '../../core/result.ts';
import { notificationsPage } from '../../web/notifications-page.ts';
import { troublePage } from '../../web/pages.ts';
import { passkeyPlace } from '../identity/passkey-place.ts';
import { notificationsView } from '../notifications/notifications-view.ts';
import { read } from '../server-ports.ts';
import { type ApiRoutes, callerOf } from './api-route.ts';
import { countWaiting } from './page-routes.ts';

const HTML = 'text/html; charset=utf-8';
const hidden = { hide: true } as const;

export const notificationPages: ApiRoutes = (app, parts) => {
  app.get(
    '/notifications',
    { config: { audience: 'approver', isPage: true }, schema: hidden },
    async (request, reply) => {
      const { subject, csrfToken } = callerOf(request);
      const nowMs = parts.clock.nowMs();
      const found = await read(parts, async (rows) =>
        success({
          lastSeq: await rows.lastSeq(),
          pending: await countWaiting(rows, nowMs),
          view: await notificationsView(parts, rows, subject),
        }),
      );
      if (!found.ok) return reply.code(503).header('retry-after', 1).type(HTML).send(troublePage(parts.assets));
      const { lastSeq, pending, view } = found.value;
      const passkeyName = passkeyPlace(parts.publicUrl())?.rpId ?? null;
      const place = 'notifications' as const;
      const frame = { assets: parts.assets, csrfToken: csrfToken ?? '', nowMs, lastSeq, pending, place, passkeyName };
      return reply.type(HTML).send(notificationsPage(frame, view));
    },
  );

  // Under one name for ever: a browser asks for it again by itself.
  app.get('/service-worker.js', { config: { audience: 'public' }, schema: hidden }, (_request, reply) =>
    reply.header('cache-control', 'no-cache').type('text/javascript; charset=utf-8').send(parts.assets.serviceWorker),
  );
};
