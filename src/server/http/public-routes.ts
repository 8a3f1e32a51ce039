/** The routes that tell a client which server this is, and give a token to the holder of a key. They need no token. */
import { RotateAnswerSchema, RotateBodySchema } from '../../core/wire/key-rotation.ts';
import { ServerInfoSchema } from '../../core/wire/server-info.ts';
import {
  ChallengeAnswerSchema,
  ChallengeBodySchema,
  TokenAnswerSchema,
  TokenBodySchema,
} from '../../core/wire/sign-in.ts';
import { ENROLMENT_PROTOCOL } from '../../platform/enrolment-code.ts';
import { newChallenge, redeemChallenge } from '../identity/challenge.ts';
import { rotateKey } from '../identity/rotation.ts';
import { type ApiRoutes, endpointsOf, withBody, withBodyOf } from './api-route.ts';

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
    async ({ body, address }) => withBodyOf(await redeemChallenge(parts, body, address)),
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
    async ({ body, address }) => withBodyOf(await rotateKey(parts, body, address)),
  );
};
