/** Orders of approvers to hosts: a host keeps the stream, and answers each order. Nothing comes on it while no approver asks. */

import { failed, success } from '../../core/result.ts';
import { type OrderAnswer, OrderAnswerSchema } from '../../core/wire/running.ts';
import { IdParams, NoContent } from '../../core/wire/schema-parts.ts';
import { Places } from '../budgets.ts';
import { MAX_ORDER_ANSWER_BYTES, MAX_STREAMS, MAX_STREAMS_PER_SUBJECT } from '../limits.ts';
import { refusal } from '../refusal.ts';
import { type ApiRoutes, callerOf, endpointsOf, refuse, route } from './api-route.ts';
import { EventStream } from './event-stream.ts';
import { holdsStill } from './stream-routes.ts';

export const orderRoutes: ApiRoutes = (app, parts) => {
  const open = new Set<EventStream>();
  const places = new Places({ ofOne: MAX_STREAMS_PER_SUBJECT, ofAll: MAX_STREAMS });
  parts.feed.watchSessionEnds(() => {
    for (const stream of [...open]) stream.check();
  });
  app.addHook('preClose', async () => {
    for (const stream of [...open]) stream.finish();
  });

  app.get(
    '/v1/orders',
    route('requester', { summary: 'What approvers want to know of this host, or done on it: an event stream' }),
    async (request, reply) => {
      const caller = callerOf(request);
      const giveUpPlace = places.take(caller.subject.id);
      if (giveUpPlace === null) return refuse(parts, reply, refusal('server.busy', 'too many readers wait already'));
      const end = () => {
        parts.hosts.close(link);
        giveUpPlace();
        open.delete(stream);
      };
      const stream = new EventStream(reply, end, () => holdsStill(parts, caller));
      open.add(stream);
      const link = parts.hosts.open(caller.subject.id, (order) => stream.send(order.id, 'order', null, order));
      return reply;
    },
  );

  const endpoint = endpointsOf(app, parts);
  endpoint(
    'requester',
    'POST',
    '/v1/orders/:id/answer',
    {
      summary: 'What came of an order',
      params: IdParams,
      body: OrderAnswerSchema,
      bodyLimit: MAX_ORDER_ANSWER_BYTES,
      answers: { 204: NoContent },
    },
    async ({ caller, params, body }) =>
      parts.hosts.take(caller.subject.id, params.id, body as OrderAnswer)
        ? success({ status: 204 } as const)
        : failed(refusal('running.not_found', 'no approver waits for this answer any more')),
  );
};
