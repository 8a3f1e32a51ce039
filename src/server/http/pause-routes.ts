/** The API by which an approver pauses, resumes and revokes requesters, and asks requesters for new keys. */
import { failed } from '../../core/result.ts';
import { ConfirmedBodySchema } from '../../core/wire/passkeys.ts';
import {
  HostBodySchema,
  HostChangeSchema,
  HostPauseBodySchema,
  PauseBodySchema,
  PauseListSchema,
} from '../../core/wire/pause.ts';
import { IdParams, NoContent } from '../../core/wire/schema-parts.ts';
import { changeHost, changeRequester, pausing, resuming, revoking } from '../grants/pauses.ts';
import { confirmByPasskey } from '../identity/confirm-by-passkey.ts';
import { askForNewKey } from '../identity/rotation.ts';
import { malformedRequest } from '../refusal.ts';
import { change, read } from '../server-ports.ts';
import { type ApiRoutes, endpointsOf, noContent, withBody, withBodyOf } from './api-route.ts';
import { textFault } from './request-fault.ts';

const answers = { 204: NoContent };

export const pauseRoutes: ApiRoutes = (app, parts) => {
  const endpoint = endpointsOf(app, parts);

  endpoint(
    'reader',
    'GET',
    '/v1/pauses',
    { summary: 'Requesters that are paused', answers: { 200: PauseListSchema } },
    async () => read(parts, async (rows) => withBody({ pauses: await rows.pauses() })),
  );

  endpoint(
    'decider',
    'POST',
    '/v1/requesters/:id/pause',
    {
      summary: 'Pause a requester: no line or call of the requester runs, even if a grant covers the line or call',
      params: IdParams,
      body: PauseBodySchema,
      answers,
    },
    async ({ caller, params, body }) => {
      const fault = textFault(body.reason);
      if (fault !== null) return failed(malformedRequest(fault));
      return noContent(await changeRequester(parts, params.id, pausing(parts, caller.subject, body.reason ?? '')));
    },
  );

  endpoint(
    'approver',
    'POST',
    '/v1/requesters/:id/resume',
    { summary: 'End a pause', params: IdParams, answers },
    async ({ caller, params }) => noContent(await changeRequester(parts, params.id, resuming(parts, caller.subject))),
  );

  endpoint(
    'approver',
    'POST',
    '/v1/requesters/:id/rotate',
    {
      summary: 'Ask this requester for a new key: its host makes the key when the requester next signs in',
      params: IdParams,
      body: ConfirmedBodySchema,
      answers,
    },
    async ({ caller, params, body }) => {
      const refused = await confirmByPasskey(parts, caller, { verb: 'ask-for-key', about: params.id }, body.assertion);
      if (refused !== null) return failed(refused);
      const nowMs = parts.clock.nowMs();
      return noContent(await change(parts, (rows) => askForNewKey(rows, params.id, caller.subject.id, nowMs)));
    },
  );

  endpoint(
    'approver',
    'POST',
    '/v1/requesters/:id/revoke',
    { summary: 'Revoke a requester: its key is not accepted any more', params: IdParams, answers },
    async ({ caller, params }) => noContent(await changeRequester(parts, params.id, revoking(parts, caller.subject))),
  );

  hostRoutes(app, parts);
};

const changed = { 200: HostChangeSchema };

/**
 * No route asks all requesters of a host for new keys. Each requester makes its own key, but a thief with the old key can make one too. So
 * an approver compares the code of each key.
 */
const hostRoutes: ApiRoutes = (app, parts) => {
  const endpoint = endpointsOf(app, parts);

  endpoint(
    'decider',
    'POST',
    '/v1/hosts/pause',
    { summary: 'Pause all requesters of a host', body: HostPauseBodySchema, answers: changed },
    async ({ caller, body: { host, reason } }) => {
      const fault = textFault(reason);
      if (fault !== null) return failed(malformedRequest(fault));
      return withBodyOf(await changeHost(parts, host, pausing(parts, caller.subject, reason ?? '')));
    },
  );

  endpoint(
    'approver',
    'POST',
    '/v1/hosts/resume',
    { summary: 'End the pauses of all requesters of a host', body: HostBodySchema, answers: changed },
    async ({ caller, body: { host } }) => withBodyOf(await changeHost(parts, host, resuming(parts, caller.subject))),
  );

  endpoint(
    'approver',
    'POST',
    '/v1/hosts/revoke',
    {
      summary: 'Revoke all requesters of a host: their keys are not accepted any more',
      body: HostBodySchema,
      answers: changed,
    },
    async ({ caller, body: { host } }) => withBodyOf(await changeHost(parts, host, revoking(parts, caller.subject))),
  );
};
