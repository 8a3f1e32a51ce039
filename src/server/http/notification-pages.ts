/** The page for notifications, and the service worker. */
import { notificationsPage } from '../../web/notifications-page.ts';
import { notificationsView } from '../notifications/notifications-view.ts';
import { type ApiRoutes, callerOf } from './api-route.ts';
import { forApprover, showPage } from './page-answers.ts';

export const notificationPages: ApiRoutes = (app, parts) => {
  app.get('/notifications', forApprover, (request, reply) =>
    showPage(
      parts,
      request,
      reply,
      'notifications',
      (rows) => notificationsView(parts, rows, callerOf(request).subject),
      notificationsPage,
    ),
  );

  // Under one name for ever: a browser asks for it again by itself.
  app.get('/service-worker.js', { config: { audience: 'public' }, schema: { hide: true } }, (_request, reply) =>
    reply.header('cache-control', 'no-cache').type('text/javascript; charset=utf-8').send(parts.assets.serviceWorker),
  );
};
