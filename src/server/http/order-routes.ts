/** Delivers orders of approvers to hosts. A host reads its orders from an event stream, and answers each order with a POST. */

import { failed, success } from '../../core/result.ts';
import { type OrderAnswer, OrderAnswerSchema } from '../../core/wire/running.ts';
import { IdParams, NoContent } from '../../core/wire/schema-parts.ts';
import { MAX_ORDER_ANSWER_BYTES } from '../limits.ts';
import { refusal } from '../refusal.ts';
import { type ApiRoutes, callerOf, endpointsOf, refuse, route } from './api-route.ts';
import { openStreams } from './open-streams.ts';

export const orderRoutes: ApiRoutes = (app, parts) => {
  const streams = openStreams(app, parts);

  app.get(
    '/v1/orders',
    route('requester', {
      summary:
        'Orders of approvers to this host, as an event stream: list what runs, show a screen, hold, continue, kill',
    }),
    async (request, reply) => {
      const caller = callerOf(request);
      const place = streams.takePlace(caller);
      if (!place.ok) return refuse(parts, reply, place.failure);
      const giveUpPlace = place.value;
      const stream = streams.start(reply, caller, () => {
        parts.hosts.close(link);
        giveUpPlace();
      });
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
      summary: 'The answer of this host to an order',
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
