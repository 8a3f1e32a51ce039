/** The API of the record: all events, in order. */
import { failed, success } from '../../core/result.ts';
import { AuditListSchema, AuditQuerySchema } from '../../core/wire/audit-event.ts';
import { refusal } from '../refusal.ts';
import { read } from '../server-ports.ts';
import { type ApiRoutes, endpointsOf, withBody } from './api-route.ts';

export const auditRoutes: ApiRoutes = (app, parts) => {
  const endpoint = endpointsOf(app, parts);

  endpoint(
    'reader',
    'GET',
    '/v1/audit',
    {
      summary: 'The record of everything, in order',
      querystring: AuditQuerySchema,
      answers: { 200: AuditListSchema },
    },
    async ({ query }) => {
      const limit = Number(query.limit ?? '200');
      if (limit < 1 || limit > 1000) return failed(refusal('request.malformed', 'limit must be between 1 and 1000'));
      const after = Number(query.after ?? '0');
      const found = await read(parts, async (rows) => {
        // The events are read first. If events are removed between the two reads, `removed` includes these events.
        const events = await rows.events(after, limit);
        return success({ events, removed: await rows.retention.removedRows() });
      });
      if (!found.ok) return found;
      const { events, removed } = found.value;
      const next = events.length < limit ? null : (events.at(-1)?.seq ?? null);
      const lastGone = Math.max(...removed.filter((row) => row.class !== 'requests').map(({ lastSeq }) => lastSeq), 0);
      return withBody({ events, next, cut: lastGone > after ? lastGone : null });
    },
  );
};
