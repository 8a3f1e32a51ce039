/** The API of the lists of approvers. Every authenticated caller may read the lists. Only an approver may publish the next list. */
import { failed } from '../../core/result.ts';
import {
  ApproverListsQuerySchema,
  ApproverListsSchema,
  ListToSealSchema,
  ListWishSchema,
  SealedApproversSchema,
} from '../../core/wire/sealed.ts';
import { publishApprovers, revokedApprovers } from '../identity/approver-lists.ts';
import { nextList } from '../identity/next-list.ts';
import { malformedRequest } from '../refusal.ts';
import { change, read } from '../server-ports.ts';
import { type ApiRoutes, endpointsOf, withBody, withBodyOf } from './api-route.ts';
import { textsFault } from './request-fault.ts';

/** The most lists in one answer. A host that needs more lists asks again. */
const MAX_LISTS = 50;
const MAX_LIST_BODY_BYTES = 512 * 1024;

export const approverListRoutes: ApiRoutes = (app, parts) => {
  const endpoint = endpointsOf(app, parts);

  endpoint(
    'authenticated',
    'GET',
    '/v1/approver-lists',
    {
      summary: 'Who may seal decisions: the lists of approvers with a sequence number above `after`, in order',
      querystring: ApproverListsQuerySchema,
      answers: { 200: ApproverListsSchema },
    },
    async ({ query }) => {
      const after = Number(query.after ?? '0');
      return read(parts, async (rows) =>
        withBody({ lists: await rows.approverLists(after, MAX_LISTS), revoked: await revokedApprovers(rows) }),
      );
    },
  );

  endpoint(
    'approver',
    'POST',
    '/v1/approver-lists/next',
    {
      summary: 'The next list with one change, to be signed with a passkey of the caller; nothing is stored',
      body: ListWishSchema,
      answers: { 200: ListToSealSchema },
    },
    async ({ caller, body }) => withBodyOf(await nextList(parts, caller.subject, body)),
  );

  endpoint(
    'approver',
    'POST',
    '/v1/approver-lists',
    {
      summary: 'Publish the next list, signed by an approver on the previous list',
      body: SealedApproversSchema,
      bodyLimit: MAX_LIST_BODY_BYTES,
      answers: { 200: SealedApproversSchema },
    },
    async ({ caller, body }) => {
      const fault = textsFault(body.document.approvers.map(({ name }) => name));
      if (fault !== null) return failed(malformedRequest(fault));
      const actorId = caller.subject.id;
      const published = await change(parts, async (rows) => {
        const nowMs = parts.clock.nowMs();
        const server = parts.serverKey.publicKey;
        return publishApprovers(rows, body, { server, actorId, nowMs });
      });
      return published.ok ? withBody(body) : published;
    },
  );
};
