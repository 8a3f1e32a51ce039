/** Lists and ends the sign-ins of a person. */
import { plainEvent } from '../../core/grant/audit-event.ts';
import type { SignInView } from '../../core/wire/sign-ins.ts';
import { sha256Hex } from '../../platform/digest.ts';
import type { ApproverSession, StoreReader, StoreWriter } from '../../store/store.ts';

/** The public id of a sign-in. The stored hash and the cookie cannot be computed from this id. */
const idOf = ({ hash }: ApproverSession): string => `i_${sha256Hex(`sign-in\n${hash}`).slice(0, 26)}`;

/**
 * Lists a person's sign-ins that have not ended, in the order of their last use, the latest first.
 * @param own the session of the caller; null: the caller has no session
 */
export async function signInsOf(
  rows: StoreReader,
  subjectId: string,
  own: Pick<ApproverSession, 'hash'> | null,
  nowMs: number,
): Promise<readonly SignInView[]> {
  return (await rows.sessionsOf(subjectId, nowMs)).map((session) => ({
    id: idOf(session),
    browser: session.browser,
    isThis: session.hash === own?.hash,
    createdAtMs: session.createdAtMs,
    lastSeenAtMs: session.lastSeenAtMs,
    expiresAtMs: session.expiresAtMs,
  }));
}

/**
 * Ends one sign-in of a person. Returns false if this person has no such sign-in, or if the sign-in has ended.
 * @param by the subject that ends the sign-in; null: the command line on the server's machine
 */
export async function endSignIn(
  rows: StoreWriter,
  subjectId: string,
  id: string,
  by: string | null,
  nowMs: number,
): Promise<boolean> {
  const found = (await rows.sessionsOf(subjectId, nowMs)).find((session) => idOf(session) === id);
  if (found === undefined) return false;
  await rows.endSession(found.hash);
  rows.record(plainEvent('owner.signed_out', by, nowMs, { of: subjectId, signIn: id }));
  return true;
}

/**
 * Ends the sign-ins of a person. Returns their number, which includes expired sign-ins that the database still has.
 * @param except the session that stays; null: no session stays
 * @param by     the subject that ends the sign-ins; null: the command line on the server's machine
 */
export async function endSignInsOf(
  rows: StoreWriter,
  subjectId: string,
  except: Pick<ApproverSession, 'hash'> | null,
  by: string | null,
  nowMs: number,
): Promise<number> {
  const ended = await rows.endSessionsOf(subjectId, except?.hash ?? null);
  if (ended > 0) rows.record(plainEvent('owner.signed_out', by, nowMs, { of: subjectId, signIns: ended }));
  return ended;
}
