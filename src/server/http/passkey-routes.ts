/** The routes with which people manage their devices and recovery codes, and sign in without a link. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { failed, type Result, success } from '../../core/result.ts';
import {
  ConfirmedBodySchema,
  PasskeyBodySchema,
  PasskeyCreationSchema,
  PasskeyListSchema,
  PasskeyRequestSchema,
  PasskeySignInBodySchema,
  PasskeyViewSchema,
  RecoveryCodesSchema,
  RecoverySignInBodySchema,
  RenameBodySchema,
  SignedInSchema,
} from '../../core/wire/passkeys.ts';
import { IdParams, NoContent, type Shape } from '../../core/wire/schema-parts.ts';
import type { ApproverSession } from '../../store/store.ts';
import { isOurOrigin } from '../bind.ts';
import type { Caller } from '../identity/authentication.ts';
import { confirmByPasskey } from '../identity/confirm-by-passkey.ts';
import { passkeyView, removeDevice, renameDevice } from '../identity/devices.ts';
import { passkeyCreation, registerPasskey } from '../identity/passkey-registration.ts';
import { signInByPasskey, signInRequest } from '../identity/passkey-sign-in.ts';
import { newRecoveryCodes, signInByCode } from '../identity/recovery-codes.ts';
import { setSessionCookie } from '../identity/session.ts';
import { notifyOfBreakGlass } from '../notifications/break-glass-notices.ts';
import { malformedRequest, type Refusal, refusal } from '../refusal.ts';
import { change, read, type ServerParts } from '../server-ports.ts';
import { type ApiRoutes, endpointsOf, noContent, route, withBody, withBodyOf } from './api-route.ts';
import { callerAddress } from './caller-address.ts';
import { sendResult } from './reply.ts';
import { nameFault } from './request-fault.ts';

/** A registration can contain an attestation with certificates. */
const MAX_REGISTRATION_BODY_BYTES = 64 * 1024;

/** Returns the browser session of the caller. Fails if the caller is `apes` with an approver's key. Such a key has no devices. */
function sessionOf({ session }: Caller): Result<ApproverSession, Refusal> {
  return session === null
    ? failed(refusal('auth.forbidden', 'devices belong to people who are signed in with a browser'))
    : success(session);
}

export const passkeyRoutes: ApiRoutes = (app, parts) => {
  const endpoint = endpointsOf(app, parts);

  endpoint(
    'person',
    'POST',
    '/v1/passkeys/creation',
    {
      summary: 'What a browser needs to make a passkey on this device',
      body: ConfirmedBodySchema,
      answers: { 200: PasskeyCreationSchema },
    },
    async ({ caller, body }) => {
      const session = sessionOf(caller);
      if (!session.ok) return session;
      const refused = await confirmByPasskey(parts, caller, { verb: 'register', about: null }, body.assertion);
      if (refused !== null) return failed(refused);
      return withBodyOf(await passkeyCreation(parts, caller.subject, session.value));
    },
  );

  endpoint(
    'person',
    'POST',
    '/v1/passkeys',
    {
      summary: 'Register a device with the answer of its authenticator',
      body: PasskeyBodySchema,
      bodyLimit: MAX_REGISTRATION_BODY_BYTES,
      answers: { 201: PasskeyViewSchema },
    },
    async ({ caller, body }) => {
      const session = sessionOf(caller);
      if (!session.ok) return session;
      const fault = nameFault(body.name, 'device');
      if (fault !== null) return failed(malformedRequest(fault));
      const registered = await registerPasskey(parts, session.value, body.name.trim(), body.registration);
      if (!registered.ok) return registered;
      const passkeyId = session.value.passkeyId ?? registered.value.id;
      return success({ status: 201, body: passkeyView(registered.value, { passkeyId }) });
    },
  );

  endpoint(
    'person',
    'GET',
    '/v1/passkeys',
    {
      summary: 'The devices of this person, and how many recovery codes are left',
      answers: { 200: PasskeyListSchema },
    },
    async ({ caller: { subject, session } }) =>
      read(parts, async (rows) => {
        const own = await rows.passkeys.passkeysOf(subject.id);
        const recoveryCodesLeft = await rows.passkeys.countRecoveryCodes(subject.id);
        return withBody({ passkeys: own.map((one) => passkeyView(one, session)), recoveryCodesLeft });
      }),
  );

  endpoint(
    'person',
    'POST',
    '/v1/passkeys/:id/rename',
    {
      summary: 'Rename a device',
      params: IdParams,
      body: RenameBodySchema,
      answers: { 200: PasskeyViewSchema },
    },
    async ({ caller: { subject, session }, params, body }) => {
      const fault = nameFault(body.name, 'device');
      if (fault !== null) return failed(malformedRequest(fault));
      const renamed = await renameDevice(parts, subject.id, params.id, body.name.trim());
      return renamed.ok ? withBody(passkeyView(renamed.value, session)) : renamed;
    },
  );

  endpoint(
    'person',
    'POST',
    '/v1/passkeys/:id/remove',
    {
      summary: 'Remove a device; the sessions that began with it end at once',
      params: IdParams,
      body: ConfirmedBodySchema,
      answers: { 204: NoContent },
    },
    async ({ caller, params, body }) => {
      const refused = await confirmByPasskey(parts, caller, { verb: 'remove', about: params.id }, body.assertion);
      if (refused !== null) return failed(refused);
      return noContent(await removeDevice(parts, caller.subject.id, params.id));
    },
  );

  endpoint(
    'person',
    'POST',
    '/v1/recovery-codes',
    {
      summary: 'Make ten new recovery codes; earlier codes end',
      body: ConfirmedBodySchema,
      answers: { 200: RecoveryCodesSchema },
    },
    async ({ caller, body }) => {
      const session = sessionOf(caller);
      if (!session.ok) return session;
      const refused = await confirmByPasskey(parts, caller, { verb: 'recovery-codes', about: null }, body.assertion);
      if (refused !== null) return failed(refused);
      return change(parts, async (rows) =>
        withBody({ codes: await newRecoveryCodes(rows, caller.subject.id, parts.random, parts.clock.nowMs()) }),
      );
    },
  );

  endpoint(
    'public',
    'POST',
    '/v1/sign-in/passkey/request',
    { summary: 'What a browser needs to sign in with a passkey', answers: { 200: PasskeyRequestSchema } },
    async () => withBodyOf(signInRequest(parts)),
  );

  signInWithoutLink(app, parts);
};

/**
 * `endpointsOf` cannot make these routes, because they set a cookie. These routes refuse calls that do not come from a page of this server:
 * another site must not sign a browser in.
 */
const signInWithoutLink: ApiRoutes = (app, parts) => {
  const answers = { 200: SignedInSchema };

  app.post<{ Body: Shape<typeof PasskeySignInBodySchema> }>(
    '/v1/sign-in/passkey',
    route('public', { summary: 'Sign in with a passkey', body: PasskeySignInBodySchema, answers }),
    async (request, reply) => {
      const address = callerAddress(request, parts.publicUrl());
      const { 'user-agent': userAgent } = request.headers;
      const secret =
        checkOrigin(request, parts) ?? (await signInByPasskey(parts, request.body.assertion, address, userAgent));
      return sendSignedIn(parts, reply, secret, '/');
    },
  );

  app.post<{ Body: Shape<typeof RecoverySignInBodySchema> }>(
    '/v1/sign-in/recovery-code',
    route('public', {
      summary: 'Sign in with a recovery code, or a break-glass code',
      body: RecoverySignInBodySchema,
      answers,
    }),
    async (request, reply) => {
      const address = callerAddress(request, parts.publicUrl());
      const { 'user-agent': userAgent } = request.headers;
      const signedIn =
        checkOrigin(request, parts) ??
        (await signInByCode(parts, request.body.code, address, userAgent, notifyOfBreakGlass));
      if (!signedIn.ok) return sendSignedIn(parts, reply, signedIn, '/');
      const { secret, isBreakGlass } = signedIn.value;
      return sendSignedIn(parts, reply, success(secret), isBreakGlass ? '/' : '/devices?after=recovery');
    },
  );
};

const checkOrigin = (request: FastifyRequest, parts: ServerParts) =>
  isOurOrigin(request.headers.origin, request.headers.host, parts.publicUrl())
    ? null
    : failed(refusal('csrf.failed', 'this call did not come from a page of this server'));

function sendSignedIn(
  parts: ServerParts,
  reply: FastifyReply,
  secret: Result<string, Refusal>,
  location: string,
): FastifyReply {
  if (!secret.ok) return sendResult(parts, reply, secret);
  setSessionCookie(parts, reply, secret.value);
  return sendResult(parts, reply, withBody({ location }));
}
