/**
 * The short-lived token of a requester: got by signing a challenge, kept in a private file, shared by all processes.
 */
import { createPrivateKey, sign } from 'node:crypto';
import { join } from 'node:path';
import type { Failure } from '../core/failure.ts';
import { failure } from '../core/failure.ts';
import { failed, type Result, success } from '../core/result.ts';
import type { ChallengeBody, TokenAnswer, TokenBody } from '../core/wire/sign-in.ts';
import { readPrivateFile, writePrivateFile } from '../platform/private-files.ts';
import type { Identity } from './enrolment.ts';
import { callServer, malformed, type Server } from './http.ts';

/** In ms. A token with less time left is not used for a new call. */
const MARGIN_MS = 30_000;

interface StoredToken {
  readonly subjectId: string;
  readonly serverUrl: string;
  readonly token: string;
  readonly expiresAtMs: number;
}

/**
 * Tokens by their file, so that a session or resident gate does not read the file for every call. A revoked token may still
 * be here: the server refuses it.
 */
const remembered = new Map<string, StoredToken>();

/**
 * A token for `identity`. Several processes may fetch one at the same time: the server accepts all of them, and each
 * replaces the whole file.
 * @param mustBeFresh whether the server refused the kept token
 */
export async function obtainToken(
  server: Server,
  identity: Identity,
  stateDirectory: string,
  nowMs: number,
  mustBeFresh: boolean,
): Promise<Result<string, Failure>> {
  const file = join(stateDirectory, `token-${identity.subjectId}.json`);
  if (!mustBeFresh) {
    const isGood = (kept: StoredToken | null | undefined): kept is StoredToken =>
      kept?.subjectId === identity.subjectId &&
      kept.serverUrl === server.url &&
      kept.expiresAtMs - MARGIN_MS > nowMs &&
      kept.expiresAtMs - nowMs < 3_600_000; // no token lives longer: the clock jumped back
    const known = remembered.get(file);
    if (isGood(known)) return success(known.token);
    const kept = readKept(file);
    if (isGood(kept)) {
      remembered.set(file, kept);
      return success(kept.token);
    }
  }
  const fresh = await authenticate(server, identity);
  if (!fresh.ok) return fresh;
  const lifetimeMs = fresh.value.expiresAtMs - (fresh.value.serverTimeMs ?? nowMs);
  const kept: StoredToken = {
    subjectId: identity.subjectId,
    serverUrl: server.url,
    token: fresh.value.token,
    expiresAtMs: nowMs + lifetimeMs, // by this host's clock, which may differ from the server's
  };
  remembered.set(file, kept);
  writePrivateFile(file, JSON.stringify(kept)); // a failure to write is ignored: the next process fetches a token itself
  return success(fresh.value.token);
}

function readKept(file: string): StoredToken | null {
  const text = readPrivateFile(file);
  if (!text.ok || text.value === null) return null;
  try {
    const value = JSON.parse(text.value) as Partial<StoredToken>;
    return typeof value.token === 'string' && typeof value.expiresAtMs === 'number' ? (value as StoredToken) : null;
  } catch {
    return null;
  }
}

interface FreshToken extends TokenAnswer {
  readonly serverTimeMs: number | null;
}

async function authenticate(server: Server, identity: Identity): Promise<Result<FreshToken, Failure>> {
  const challenged = await callServer(server, {
    method: 'POST',
    path: '/v1/auth/challenge',
    body: { subjectId: identity.subjectId } satisfies ChallengeBody,
  });
  if (!challenged.ok) return challenged;
  const challenge = field(challenged.value.body, 'challenge');
  if (challenge === null) return failed(malformed(server, `it gave no challenge (HTTP ${challenged.value.status})`));
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
  if (answered.value.status === 401)
    return failed(
      failure(
        'configuration',
        'the grant server does not know this key (revoked, or another database)',
        'enrol again: apes up, or apes login URL',
        'auth.unknown',
      ),
    );
  const token = field(answered.value.body, 'token');
  const expiresAtMs = (answered.value.body as Partial<TokenAnswer> | null)?.expiresAtMs;
  if (answered.value.status !== 200 || token === null || typeof expiresAtMs !== 'number')
    return failed(malformed(server, `it gave no token (HTTP ${answered.value.status})`));
  return success({ token, expiresAtMs, serverTimeMs: answered.value.serverTimeMs });
}

function field(body: unknown, name: string): string | null {
  if (typeof body !== 'object' || body === null) return null;
  const value = (body as Record<string, unknown>)[name];
  return typeof value === 'string' ? value : null;
}

function signText(text: string, privateKey: string): string | null {
  try {
    return sign(null, Buffer.from(text), createPrivateKey(privateKey)).toString('base64url');
  } catch {
    return null;
  }
}
