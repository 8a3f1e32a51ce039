/** The API for the caller's own notifications: channels, preferences, tests. */
import { failed, success } from '../../core/result.ts';
import {
  ChannelAddedSchema,
  ChannelTestSchema,
  NewChannelSchema,
  NotificationPreferencesSchema,
  NotificationsSchema,
  PageTokenSchema,
} from '../../core/wire/notification.ts';
import { IdParams, NoContent } from '../../core/wire/schema-parts.ts';
import { addChannel, removeChannel, testChannel } from '../notifications/channel-changes.ts';
import { notificationsView } from '../notifications/notifications-view.ts';
import { savePreferences } from '../notifications/preferences.ts';
import { malformedRequest, refusal } from '../refusal.ts';
import { read } from '../server-ports.ts';
import { type ApiRoutes, endpointsOf, noContent, withBody, withBodyOf } from './api-route.ts';
import { textsFault } from './request-fault.ts';

export const notificationRoutes: ApiRoutes = (app, parts) => {
  const endpoint = endpointsOf(app, parts);

  endpoint(
    'person',
    'GET',
    '/v1/notifications',
    { summary: 'Your channels and preferences', answers: { 200: NotificationsSchema } },
    async ({ caller }) => read(parts, async (rows) => withBody(await notificationsView(parts, rows, caller.subject))),
  );

  endpoint(
    'person',
    'POST',
    '/v1/notifications/preferences',
    {
      summary: 'Replace all your preferences: what you want to be notified of',
      body: NotificationPreferencesSchema,
      answers: { 200: NotificationPreferencesSchema },
    },
    async ({ caller, body }) => withBodyOf(await savePreferences(parts, caller.subject, body)),
  );

  endpoint(
    'person',
    'POST',
    '/v1/notifications/channels',
    {
      summary: 'Add a channel of yours; only this answer has the secret of a webhook',
      body: NewChannelSchema,
      answers: { 200: ChannelAddedSchema },
    },
    async ({ caller, body }) => {
      const fault = textsFault(Object.values(body));
      if (fault !== null) return failed(malformedRequest(fault));
      return withBodyOf(await addChannel(parts, caller, body));
    },
  );

  endpoint(
    'person',
    'DELETE',
    '/v1/notifications/channels/:id',
    { summary: 'Remove a channel of yours', params: IdParams, answers: { 204: NoContent } },
    async ({ caller, params }) => noContent(await removeChannel(parts, caller, params.id)),
  );

  endpoint(
    'person',
    'POST',
    '/v1/notifications/channels/:id/test',
    {
      summary: 'Send a test on a channel of yours; soon after, the channel shows the result',
      params: IdParams,
      answers: { 202: ChannelTestSchema },
    },
    async ({ caller, params }) => {
      const asked = await testChannel(parts, caller, params.id);
      return asked.ok ? success({ status: 202, body: { job: asked.value } } as const) : asked;
    },
  );

  endpoint(
    'person',
    'GET',
    '/v1/notifications/page-token',
    {
      summary: 'The CSRF token that the service worker of the pages sends with a denial',
      answers: { 200: PageTokenSchema },
    },
    async ({ caller }) =>
      caller.csrfToken === null
        ? failed(refusal('auth.forbidden', 'only a browser that is signed in has a CSRF token'))
        : withBody({ csrfToken: caller.csrfToken }),
  );
};
