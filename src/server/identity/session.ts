/**
 * The session of a person in a browser ends 30 days after the last visit. The session of a break-glass code ends 15 minutes after the
 * sign-in. A cookie has the session's secret. No script can read the cookie. The browser does not send it with other sites' requests.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { plainEvent } from '../../core/grant/audit-event.ts';
import { type Result, success } from '../../core/result.ts';
import { sha256Hex } from '../../platform/digest.ts';
import type { StoreWriter } from '../../store/store.ts';
import type { Refusal } from '../refusal.ts';
import { change, read, type ServerParts } from '../server-ports.ts';
import { type Caller, cookieName } from './authentication.ts';
import { browserName } from './browser-name.ts';
import { newSecret } from './secrets.ts';

const SESSION_LIFETIME_MS = 30 * 24 * 3_600_000;
/** Each visit delays the end of the session. The new end is written at most once an hour. */
const SLIDE_AFTER_MS = 3_600_000;

/**
 * @property by        how the person signed in
 * @property userAgent the browser's own name for itself
 */
interface NewSession {
  readonly subjectId: string;
  readonly passkeyId: string | null;
  readonly by: 'link' | 'passkey' | 'recovery-code' | 'break-glass';
  readonly userAgent: string | undefined;
  /** How long the session lasts; default: 30 days. */
  readonly lastsMs?: number;
}

/**
 * Stores a new session, and records the sign-in. Also deletes sessions, tokens and links that are over.
 * @param secret the secret for the cookie; the store gets only a hash of the secret
 */
export async function beginSession(
  { clock }: Pick<ServerParts, 'clock'>,
  rows: StoreWriter,
  secret: string,
  { subjectId, passkeyId, by, userAgent, lastsMs = SESSION_LIFETIME_MS }: NewSession,
): Promise<void> {
  const nowMs = clock.nowMs();
  await rows.prune(nowMs);
  await rows.insertSession({
    hash: sha256Hex(secret),
    subjectId,
    createdAtMs: nowMs,
    lastSeenAtMs: nowMs,
    expiresAtMs: nowMs + lastsMs,
    passkeyId,
    browser: browserName(userAgent),
  });
  rows.record(plainEvent('owner.signed_in', subjectId, nowMs, { by, passkeyId }));
}

/** Spends a sign-in link, and returns the secret of the new session. Returns null if the link is not live. */
export async function signIn(
  parts: ServerParts,
  linkSecret: string,
  userAgent: string | undefined,
): Promise<Result<string | null, Refusal>> {
  const secret = newSecret(parts.random);
  return change(parts, async (rows) => {
    const subjectId = await rows.spendOwnerLink(sha256Hex(linkSecret), parts.clock.nowMs());
    if (subjectId === undefined) return success(null);
    await beginSession(parts, rows, secret, { subjectId, passkeyId: null, by: 'link', userAgent });
    return success(secret);
  });
}

export function setSessionCookie(parts: ServerParts, reply: FastifyReply, secret: string): void {
  const publicUrl = parts.publicUrl();
  reply.setCookie(cookieName(publicUrl), secret, {
    path: '/',
    httpOnly: true,
    sameSite: 'strict',
    secure: publicUrl.startsWith('https:'),
    maxAge: SESSION_LIFETIME_MS / 1000,
  });
}

/**
 * Delays the end of the session after a visit, in the database and in the cookie. The session of a break-glass code keeps its end. If the
 * database fails, the end stays as it was.
 */
export async function slideSession(
  parts: ServerParts,
  request: FastifyRequest,
  reply: FastifyReply,
  caller: Caller,
): Promise<void> {
  const nowMs = parts.clock.nowMs();
  const { session, subject } = caller;
  if (subject.role === 'break-glass') return;
  const secret = request.cookies[cookieName(parts.publicUrl())];
  if (session === null || secret === undefined || nowMs - session.lastSeenAtMs < SLIDE_AFTER_MS) return;
  const slid = await change(parts, async (rows) => {
    await rows.touchSession(session.hash, nowMs, nowMs + SESSION_LIFETIME_MS);
    return success(null);
  });
  if (slid.ok) setSessionCookie(parts, reply, secret);
}

/** Whether a sign-in link would still work. Does not spend the link: the person first opens the link's page, and signs in there. */
export const linkIsLive = (parts: ServerParts, linkSecret: string): Promise<Result<boolean, Refusal>> =>
  read(parts, async (rows) => success(await rows.ownerLinkIsLive(sha256Hex(linkSecret), parts.clock.nowMs())));

/** Ends the session of the caller, if there is one. The route removes the cookie. */
export async function signOut(parts: ServerParts, { session, subject }: Caller): Promise<Result<null, Refusal>> {
  if (session === null) return success(null);
  return change(parts, async (rows) => {
    await rows.endSession(session.hash);
    rows.record(plainEvent('owner.signed_out', subject.id, parts.clock.nowMs()));
    return success(null);
  });
}
