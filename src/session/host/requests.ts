/**
 * Handles the requests over a session's socket, with these exceptions: `session-socket.ts` handles `kill` and the requests about one
 * connection (`watch`, `attach`, `resize`, `offer`, `delivered`).
 */
import type { Failure } from '../../core/failure.ts';
import type { Result } from '../../core/result.ts';
import { success } from '../../core/result.ts';
import { answerReport, answerSend, answerSignal } from '../message/send-requests.ts';
import { lookAt } from '../message/session-target.ts';
import type { LiveSession } from './live-session.ts';

/**
 * Answers one request. The session sends the value of the result as JSON.
 * @param params from another process, so the function must check each parameter
 * @param gone   aborts when the caller no longer waits
 */
export type SessionRequest = (
  session: LiveSession,
  params: Readonly<Record<string, unknown>>,
  gone: AbortSignal,
) => Promise<Result<unknown, Failure>>;

export const SESSION_REQUESTS: Readonly<Record<string, SessionRequest>> = {
  /** Returns a SessionView. */
  describe: async (session) => {
    await lookAt(session);
    return success(await session.view());
  },
  /** Returns the process id of the session leader; null if the session has ended or its program has not started. */
  leader: async (session) => success(session.leaderPid),
  /** Returns a ScreenView. */
  screen: async (session) => success(await session.screen()),
  /** Returns a SendReport; so does `nudge`. */
  send: answerSend('send'),
  nudge: answerSend('nudge'),
  /** Returns null; so does `report`. The harness waits for the answer, and the session can delay the answer (`answerSignal`). */
  signal: answerSignal,
  report: answerReport,
};
