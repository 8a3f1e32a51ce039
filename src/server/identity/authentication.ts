/** Authenticates calls. A requester sends a bearer token. `apes` with an approver's key sends one too. A browser sends a session cookie. */
import type { FastifyRequest } from 'fastify';
import { failed, type Result, success } from '../../core/result.ts';
import { sha256Hex } from '../../platform/digest.ts';
import type { ApproverSession, Subject, TokenHolder } from '../../store/store.ts';
import { isOurOrigin } from '../bind.ts';
import { Coalescer } from '../coalescer.ts';
import { type Refusal, refusal, tokenEnded } from '../refusal.ts';
import { read, type ServerParts, type ServerPorts } from '../server-ports.ts';
import { equalInConstantTime } from './secrets.ts';

/**
 * @property expiresAtMs when the token or the session ends (Unix ms)
 * @property secretHash  the hash of the token or of the session's secret; a later check finds by this hash whether the caller is still
 *                       valid
 * @property session     null: the caller has a token
 */
export interface Caller {
  readonly subject: Subject;
  readonly via: 'token' | 'session';
  readonly expiresAtMs: number;
  readonly secretHash: string;
  readonly session: ApproverSession | null;
  /** What a page of this session must send back in `x-csrf-token`; null if the caller has no session. */
  readonly csrfToken: string | null;
}

/** Returns the name of the session cookie. Browsers accept the prefix `__Host-` only over https. */
export const cookieName = (publicUrl: string): string =>
  publicUrl.startsWith('https:') ? '__Host-ape_session' : 'ape_session';

/**
 * Derives the CSRF token from the session's secret. No script can read this secret. Therefore another site cannot know or guess the token.
 */
export const csrfTokenOf = (sessionSecret: string): string => sha256Hex(`ape-csrf/1\n${sessionSecret}`);

/** Finds the holder of a token by the token's hash; undefined: no valid token has the hash. Simultaneous calls share one query. */
export type TokenHolders = Coalescer<string, Result<TokenHolder | undefined, Refusal>>;

export const newTokenHolders = (ports: ServerPorts): TokenHolders =>
  new Coalescer(
    async (hashes) => {
      const found = await read(ports, async (rows) => success(await rows.tokenHolders(hashes, ports.clock.nowMs())));
      return hashes.map((hash) => (found.ok ? success(found.value.get(hash)) : found));
    },
    { keyOf: (hash) => hash },
  );

/**
 * Authenticates a call by the `Authorization` header. Without this header: by the session cookie. Fails in three cases: the call has
 * neither the header nor the cookie, the token or the session is not valid, or the database cannot be read.
 */
export async function findCaller(ports: ServerParts, request: FastifyRequest): Promise<Result<Caller, Refusal>> {
  const authorization = request.headers.authorization;
  if (authorization !== undefined) return callerByToken(ports, authorization);
  const secret = request.cookies[cookieName(ports.publicUrl())];
  if (secret !== undefined) return bySession(ports, secret);
  return failed(refusal('auth.missing', 'sign in first'));
}

/**
 * Authenticates a call by its token. Fails if the header has no bearer token, the token is not valid, or the database cannot be read.
 * @param authorization the value of the header `Authorization`
 */
export async function callerByToken(
  { tokens }: Pick<ServerParts, 'tokens'>,
  authorization: string,
): Promise<Result<Caller, Refusal>> {
  const token = /^Bearer ([A-Za-z0-9_-]{43})$/i.exec(authorization)?.[1];
  if (token === undefined) return failed(refusal('auth.unknown', 'the Authorization header holds no bearer token'));
  const secretHash = sha256Hex(token);
  const found = await tokens.do(secretHash);
  if (!found.ok) return found;
  if (found.value === undefined) return failed(tokenEnded);
  const { subject, expiresAtMs } = found.value;
  return success({ subject, via: 'token', expiresAtMs, secretHash, session: null, csrfToken: null });
}

async function bySession(ports: ServerPorts, secret: string): Promise<Result<Caller, Refusal>> {
  const secretHash = sha256Hex(secret);
  const found = await read(ports, async (rows) => success(await rows.sessionHolder(secretHash, ports.clock.nowMs())));
  if (!found.ok) return found;
  if (found.value === undefined) return failed(refusal('auth.expired', 'the session is over; sign in again'));
  const { subject, session } = found.value;
  const csrfToken = csrfTokenOf(secret);
  return success({ subject, via: 'session', expiresAtMs: session.expiresAtMs, secretHash, session, csrfToken });
}

/**
 * Refuses a change if another site may have caused the call: a browser adds the session cookie to such a call by itself. Returns null if
 * the call is allowed: a call with a bearer token, a GET or HEAD, or a call with the CSRF token from a page of this server.
 */
export function checkCrossSite(request: FastifyRequest, caller: Caller, publicUrl: string): Refusal | null {
  if (caller.csrfToken === null || request.method === 'GET' || request.method === 'HEAD') return null;
  if (!isOurOrigin(request.headers.origin, request.headers.host, publicUrl))
    return refusal('csrf.failed', 'this call did not come from a page of this server');
  const sent = request.headers['x-csrf-token'];
  if (typeof sent !== 'string' || !equalInConstantTime(sent, caller.csrfToken))
    return refusal('csrf.failed', 'the page is out of date; reload it');
  return null;
}
