/**
 * The routes that need no token: the server's identity, proof of a key, replacement of a key, and requests for enrolment. This file also
 * has `/v1/whoami`, which needs a token.
 */
import { failed, success } from '../../core/result.ts';
import {
  EnrolAnswerSchema,
  EnrolBodySchema,
  EnrolmentStateSchema,
  EnrolNonceAnswerSchema,
  EnrolNonceBodySchema,
} from '../../core/wire/enrolment.ts';
import { RotateAnswerSchema, RotateBodySchema } from '../../core/wire/key-rotation.ts';
import { IdParams } from '../../core/wire/schema-parts.ts';
import { ServerInfoSchema } from '../../core/wire/server-info.ts';
import {
  ChallengeAnswerSchema,
  ChallengeBodySchema,
  TokenAnswerSchema,
  TokenBodySchema,
} from '../../core/wire/sign-in.ts';
import { WhoamiSchema } from '../../core/wire/subject.ts';
import { ENROLMENT_PROTOCOL } from '../../platform/enrolment-code.ts';
import { newChallenge, redeemChallenge } from '../identity/challenge.ts';
import { requestEnrolment, revealNonce } from '../identity/enrolment.ts';
import { enrolmentState } from '../identity/enrolment-view.ts';
import { rotateKey } from '../identity/rotation.ts';
import { refusal } from '../refusal.ts';
import { read } from '../server-ports.ts';
import { type ApiRoutes, endpointsOf, withBody } from './api-route.ts';

export const publicRoutes: ApiRoutes = (app, parts) => {
  const endpoint = endpointsOf(app, parts);

  endpoint(
    'public',
    'GET',
    '/v1/server',
    { summary: 'Which server this is', answers: { 200: ServerInfoSchema } },
    async () => {
      const { version, serverKey, clock } = parts;
      const info = { product: 'ape-shell', version, publicKey: serverKey.publicKey, timeMs: clock.nowMs() } as const;
      return withBody({ ...info, enrolment: ENROLMENT_PROTOCOL });
    },
  );

  endpoint(
    'public',
    'POST',
    '/v1/auth/challenge',
    {
      summary: 'A challenge to sign, valid for 60 s and one use',
      body: ChallengeBodySchema,
      answers: { 200: ChallengeAnswerSchema },
    },
    async ({ body }) => withBody(newChallenge(parts, body.subjectId)),
  );

  endpoint(
    'public',
    'POST',
    '/v1/auth/token',
    {
      summary: 'Get a token, valid for 15 minutes, for a signed challenge',
      body: TokenBodySchema,
      answers: { 200: TokenAnswerSchema },
    },
    async ({ body, address }) => {
      const token = await redeemChallenge(parts, body, address);
      return token.ok ? withBody(token.value) : token;
    },
  );

  endpoint(
    'public',
    'POST',
    '/v1/auth/rotate',
    {
      summary: 'Replace the key of a host: both keys sign one challenge; the answer has a token for the new key',
      body: RotateBodySchema,
      answers: { 200: RotateAnswerSchema },
    },
    async ({ body, address }) => {
      const rotated = await rotateKey(parts, body, address);
      return rotated.ok ? withBody(rotated.value) : rotated;
    },
  );

  endpoint(
    'authenticated',
    'GET',
    '/v1/whoami',
    { summary: 'Who the caller is', answers: { 200: WhoamiSchema } },
    async ({ caller }) => {
      const { id, role, name, host, user } = caller.subject;
      return withBody({ subjectId: id, role, name, host, user });
    },
  );

  endpoint(
    'public',
    'POST',
    '/v1/enrolments',
    {
      summary: 'Ask for the enrolment of a host; the host then sends its nonce',
      body: EnrolBodySchema,
      answers: { 201: EnrolAnswerSchema },
    },
    async ({ body, address }) => {
      const asked = await requestEnrolment(parts, body, address);
      if (!asked.ok) return asked;
      const { id, expiresAtMs } = asked.value;
      const url = `${parts.publicUrl()}/enrolments/${id}`;
      return success({ status: 201, body: { enrolmentId: id, url, expiresAtMs } });
    },
  );

  endpoint(
    'public',
    'POST',
    '/v1/enrolments/:id/nonce',
    {
      summary: 'Send the nonce of the commitment, once; then the page shows the code of the enrolment',
      params: IdParams,
      body: EnrolNonceBodySchema,
      answers: { 200: EnrolNonceAnswerSchema },
    },
    async ({ params, body }) => {
      const code = await revealNonce(parts, params.id, body.nonce);
      return code.ok ? withBody({ code: code.value }) : code;
    },
  );

  endpoint(
    'public',
    'GET',
    '/v1/enrolments/:id',
    { summary: 'The state of an enrolment', params: IdParams, answers: { 200: EnrolmentStateSchema } },
    async ({ params }) =>
      read(parts, async (rows) => {
        const enrolment = await rows.enrolment(params.id);
        return enrolment === undefined
          ? failed(refusal('enrolment.not_found', 'there is no such enrolment'))
          : withBody(enrolmentState(enrolment, parts));
      }),
  );
};
