/** The page for notifications. */
import { notificationsPage } from '../../web/pages/notifications-page.ts';
import { notificationsView } from '../notifications/notifications-view.ts';
import { type ApiRoutes, callerOf } from './api-route.ts';
import { forReader, showPage } from './page-answers.ts';

export const notificationPages: ApiRoutes = (app, parts) => {
  app.get('/notifications', forReader, (request, reply) =>
    showPage(
      parts,
      request,
      reply,
      'notifications',
      (rows) => notificationsView(parts, rows, callerOf(request).subject),
      notificationsPage,
    ),
  );
};
