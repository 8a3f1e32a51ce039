/** The API for people: lists, invites and revokes people, and sets their rules and the risk above which an approval needs a passkey. */
import { failed, success } from '../../core/result.ts';
import { ApprovalSettingsBodySchema, ApprovalSettingsSchema, ConfirmedBodySchema } from '../../core/wire/passkeys.ts';
import {
  InvitationSchema,
  InviteBodySchema,
  PeopleRulesBodySchema,
  PeopleRulesViewSchema,
  PeopleSchema,
  PersonBodySchema,
} from '../../core/wire/people.ts';
import { IdParams, NoContent } from '../../core/wire/schema-parts.ts';
import { confirmByPasskey } from '../identity/confirm-by-passkey.ts';
import { OWNER_ID } from '../identity/owner.ts';
import { passkeyAbove, setPasskeyAbove } from '../identity/passkey-above.ts';
import { listPeople, revokePerson } from '../identity/people.ts';
import { changePeople, changePerson, inviteWithLimits } from '../identity/people-changes.ts';
import { peopleRulesView } from '../identity/people-rules-view.ts';
import { MAX_APPROVERS } from '../limits.ts';
import { malformedRequest, refusal } from '../refusal.ts';
import { change, read } from '../server-ports.ts';
import { type ApiRoutes, endpointsOf, noContent, withBody, withBodyOf } from './api-route.ts';
import { ownerOnly } from './owner-only.ts';
import { nameFault } from './request-fault.ts';

/** Room for the names of many requesters and hosts. */
const MAX_PERSON_BODY_BYTES = 128 * 1024;

export const peopleRoutes: ApiRoutes = (app, parts) => {
  const endpoint = endpointsOf(app, parts);

  endpoint(
    'reader',
    'GET',
    '/v1/people',
    {
      summary: 'The approvers and auditors: people, and the keys with which `apes` signs in on a command line',
      answers: { 200: PeopleSchema },
    },
    async () => read(parts, async (rows) => withBody({ people: await listPeople(rows) })),
  );

  endpoint(
    'approver',
    'POST',
    '/v1/people',
    {
      summary:
        'Invite an approver or an auditor (only the owner may); the answer has a one-time sign-in link for this person',
      body: InviteBodySchema,
      answers: { 201: InvitationSchema },
    },
    async ({ caller, body: { assertion, ...body } }) => {
      const { name, role = 'approver', limits = null } = body;
      const fault = nameFault(name, 'person');
      const refused =
        ownerOnly(caller) ??
        (fault === null ? null : malformedRequest(fault)) ??
        (await confirmByPasskey(parts, caller, { verb: 'invite', about: body }, assertion));
      if (refused !== null) return failed(refused);
      return change(parts, async (rows) => {
        if ((await rows.passkeys.approvers()).filter(({ revokedAtMs }) => revokedAtMs === null).length >= MAX_APPROVERS)
          return failed(
            refusal(
              'server.too_many',
              `this server has ${MAX_APPROVERS} people and approver keys, and no more are allowed; revoke one first`,
            ),
          );
        const at = { random: parts.random, nowMs: parts.clock.nowMs() };
        const invited = await inviteWithLimits(rows, { name: name.trim(), role, limits }, caller.subject.id, at);
        if (!invited.ok) return invited;
        const { personId, token, expiresAtMs } = invited.value;
        const signInUrl = `${parts.publicUrl()}/sign-in/${token}`;
        return success({ status: 201 as const, body: { personId, signInUrl, expiresAtMs } });
      });
    },
  );

  endpoint(
    'approver',
    'POST',
    '/v1/people/:id',
    {
      summary:
        'Set the role and the limits of a person, and which requesters belong to this person (only the owner may)',
      params: IdParams,
      body: PersonBodySchema,
      bodyLimit: MAX_PERSON_BODY_BYTES,
      answers: { 204: NoContent },
    },
    async ({ caller, params, body: { assertion, ...body } }) => {
      const refused =
        ownerOnly(caller) ??
        (await confirmByPasskey(parts, caller, { verb: 'person', about: { id: params.id, ...body } }, assertion));
      if (refused !== null) return failed(refused);
      return change(parts, async (rows) => {
        const at = { by: caller.subject.id, nowMs: parts.clock.nowMs() };
        return noContent(await changePerson(rows, params.id, body, at));
      });
    },
  );

  endpoint(
    'approver',
    'POST',
    '/v1/people/:id/revoke',
    {
      summary: 'Revoke a person (only the owner may): sessions, devices and recovery codes end at once',
      params: IdParams,
      body: ConfirmedBodySchema,
      answers: { 204: NoContent },
    },
    async ({ caller, params, body }) => {
      const refused =
        ownerOnly(caller) ??
        (params.id === OWNER_ID ? refusal('auth.forbidden', 'the owner cannot be revoked') : null) ??
        (await confirmByPasskey(parts, caller, { verb: 'revoke-person', about: params.id }, body.assertion));
      if (refused !== null) return failed(refused);
      return change(parts, async (rows) =>
        (await revokePerson(rows, params.id, caller.subject.id, parts.clock.nowMs()))
          ? success({ status: 204 as const })
          : failed(refusal('person.not_found', 'there is no such person, or they were revoked already')),
      );
    },
  );

  endpoint(
    'reader',
    'GET',
    '/v1/people-rules',
    {
      summary: 'How many people an approval takes, who decides for whom, and who is on call',
      answers: { 200: PeopleRulesViewSchema },
    },
    async () => read(parts, async (rows) => withBodyOf(await peopleRulesView(rows, parts.clock.nowMs()))),
  );

  endpoint(
    'decider',
    'POST',
    '/v1/people-rules',
    {
      summary:
        'Set the quorum, who decides for whom, and who is on call (only the owner may; each person may set their own delegation)',
      body: PeopleRulesBodySchema,
      answers: { 200: PeopleRulesViewSchema },
    },
    async ({ caller, body: { assertion, ...body } }) => {
      const isOwnDelegation = Object.keys(body).every((name) => name === 'delegation');
      const isOwn = isOwnDelegation && caller.session !== null && body.delegation?.from === caller.subject.id;
      const refused =
        (isOwn ? null : ownerOnly(caller)) ??
        (await confirmByPasskey(parts, caller, { verb: 'people-rules', about: body }, assertion));
      if (refused !== null) return failed(refused);
      return change(parts, async (rows) => {
        const at = { by: caller.subject.id, nowMs: parts.clock.nowMs() };
        const changed = await changePeople(rows, body, at);
        return changed.ok ? withBodyOf(await peopleRulesView(rows, at.nowMs)) : changed;
      });
    },
  );

  endpoint(
    'reader',
    'GET',
    '/v1/approval-settings',
    { summary: 'Up to which risk an approval needs no passkey', answers: { 200: ApprovalSettingsSchema } },
    async () => read(parts, async (rows) => withBody({ passkeyAbove: await passkeyAbove(rows) })),
  );

  endpoint(
    'approver',
    'POST',
    '/v1/approval-settings',
    {
      summary: 'Set the highest risk at which an approval needs no passkey (only the owner may)',
      body: ApprovalSettingsBodySchema,
      answers: { 200: ApprovalSettingsSchema },
    },
    async ({ caller, body: { passkeyAbove: value, assertion } }) => {
      const refused =
        ownerOnly(caller) ?? (await confirmByPasskey(parts, caller, { verb: 'setting', about: value }, assertion));
      if (refused !== null) return failed(refused);
      return change(parts, async (rows) => {
        await setPasskeyAbove(rows, value, caller.subject.id, parts.clock.nowMs());
        return withBody({ passkeyAbove: value });
      });
    },
  );
};
