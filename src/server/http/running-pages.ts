/** Serves the page *Sessions* and the page of one session. A screen may show secrets, so no browser stores these pages. */
import { RunningParams } from '../../core/wire/running.ts';
import type { Shape } from '../../core/wire/schema-parts.ts';
import type { Subject } from '../../store/store.ts';
import { runningPage, screenHtml, screenPage } from '../../web/pages/running-page.ts';
import { lookAtScreen, runningHosts } from '../hosts/running.ts';
import type { ServerParts } from '../server-ports.ts';
import { type ApiRoutes, callerOf } from './api-route.ts';
import { forReader, sendTrouble, showPage, showPart } from './page-answers.ts';

interface OnRunning {
  readonly Params: Shape<typeof RunningParams>;
}
const forReaderOnRunning = { ...forReader, schema: { hide: true, params: RunningParams } };

export const runningPages: ApiRoutes = (app, parts) => {
  app.get('/sessions', forReader, async (request, reply) => {
    const hosts = await runningHosts(parts, callerOf(request).subject);
    if (!hosts.ok) return sendTrouble(reply, parts);
    return showPage(parts, request, reply, 'sessions', async () => hosts.value, runningPage);
  });

  app.get<OnRunning>('/sessions/:requesterId/:id', forReaderOnRunning, async (request, reply) => {
    const { params } = request;
    const hosts = await runningHosts(parts, callerOf(request).subject);
    if (!hosts.ok) return sendTrouble(reply, parts);
    const host = hosts.value.find(({ requesterId }) => requesterId === params.requesterId) ?? null;
    const screen = await screenOrWhy(parts, callerOf(request).subject, params);
    return showPage(parts, request, reply, 'session', async () => ({ ...params, host, screen }), screenPage);
  });

  app.get<OnRunning>('/parts/screen/:requesterId/:id', forReaderOnRunning, async (request, reply) => {
    const screen = await screenOrWhy(parts, callerOf(request).subject, request.params);
    return showPart(parts, request, reply, async () => screenHtml(screen));
  });
};

/** Returns the screen, or a sentence that says why it cannot be shown. */
async function screenOrWhy(parts: ServerParts, by: Subject, target: OnRunning['Params']) {
  const screen = await lookAtScreen(parts, by, target);
  if (screen.ok) return screen.value;
  const { message } = screen.failure;
  return `${message.charAt(0).toUpperCase()}${message.slice(1)}`;
}
