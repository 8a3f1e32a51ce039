/** Proves to the server that this host has its private key: signs a challenge, and gets a token that lasts 15 minutes. */
import { createPrivateKey, sign } from 'node:crypto';
import { type Failure, failure } from '../core/failure.ts';
import { failed, type Result, success } from '../core/result.ts';
import { visibleLine } from '../core/text/visible-text.ts';
import type { ChallengeBody, TokenAnswer, TokenBody } from '../core/wire/sign-in.ts';
import { readErrorCode } from './answers.ts';
import type { Identity } from './enrolment.ts';
import { callServer, malformed, type Server } from './http.ts';

/** @property serverTimeMs the time by the server's clock, Unix ms; null: the answer did not contain this time */
export interface FreshToken extends TokenAnswer {
  readonly serverTimeMs: number | null;
}

/** Fetches a challenge. To prove that this host has its key, the caller signs a message that contains the challenge. */
export async function fetchChallenge(server: Server, subjectId: string): Promise<Result<string, Failure>> {
  const body: ChallengeBody = { subjectId };
  const challenged = await callServer(server, { method: 'POST', path: '/v1/auth/challenge', body });
  if (!challenged.ok) return challenged;
  const challenge = field(challenged.value.body, 'challenge');
  return challenge === null
    ? failed(malformed(server, `it gave no challenge (HTTP ${challenged.value.status})`))
    : success(challenge);
}

/** @param message the server's message, with the time at which the key was replaced */
export const replacedKey = (message: string): Failure =>
  failure(
    'configuration',
    `the grant server refuses the key of this host: ${visibleLine(message)}`,
    'if you did not replace the key, a copy of this host did: tell your approver, who can revoke it. Enrol again: apes up, or apes logout and then apes login URL',
    'auth.replaced',
  );

/** @param message the server's message, with the time at which the access was revoked */
const revokedKey = (message: string): Failure =>
  failure(
    'configuration',
    `the grant server refuses this key: ${visibleLine(message)}`,
    'agents: stop, and tell your human. To give this host access again, enrol it: apes up, or apes logout and then apes login URL',
    'auth.revoked',
  );

/**
 * Fetches a token. Fails (78) if the server does not accept the key (`auth.replaced`, `auth.revoked`, `auth.unknown`), or if the private
 * key cannot be read.
 */
export async function authenticate(server: Server, identity: Identity): Promise<Result<FreshToken, Failure>> {
  const challenged = await fetchChallenge(server, identity.subjectId);
  if (!challenged.ok) return challenged;
  const challenge = challenged.value;
  const message = `ape-auth/1\n${identity.serverPublicKey}\n${identity.subjectId}\n${challenge}`;
  const signature = signText(message, identity.privateKey);
  if (signature === null)
    return failed(
      failure(
        'configuration',
        'the private key of this host cannot be read',
        'enrol again: apes up, or apes login URL',
      ),
    );
  const answered = await callServer(server, {
    method: 'POST',
    path: '/v1/auth/token',
    body: { subjectId: identity.subjectId, challenge, signature } satisfies TokenBody,
  });
  if (!answered.ok) return answered;
  const error = readErrorCode(answered.value.body);
  if (error?.code === 'auth.replaced') return failed(replacedKey(error.message));
  if (error?.code === 'auth.revoked') return failed(revokedKey(error.message));
  if (answered.value.status === 401)
    return failed(
      failure(
        'configuration',
        'the grant server does not know this key (it may have another database)',
        'enrol again: apes up, or apes login URL',
        'auth.unknown',
      ),
    );
  const token = field(answered.value.body, 'token');
  const expiresAtMs = (answered.value.body as Partial<TokenAnswer> | null)?.expiresAtMs;
  if (answered.value.status !== 200 || token === null || typeof expiresAtMs !== 'number')
    return failed(malformed(server, `it gave no token (HTTP ${answered.value.status})`));
  const isNewKeyWanted = (answered.value.body as Partial<TokenAnswer> | null)?.rotate === true;
  const fresh: FreshToken = { token, expiresAtMs, serverTimeMs: answered.value.serverTimeMs };
  return success(isNewKeyWanted ? { ...fresh, rotate: true } : fresh);
}

function field(body: unknown, name: string): string | null {
  if (typeof body !== 'object' || body === null) return null;
  const value = (body as Record<string, unknown>)[name];
  return typeof value === 'string' ? value : null;
}

/** Returns the signature, base64url; null if `privateKey` (PEM) cannot be read. */
export function signText(text: string, privateKey: string): string | null {
  try {
    return sign(null, Buffer.from(text), createPrivateKey(privateKey)).toString('base64url');
  } catch {
    return null;
  }
}
