/** The requests over a session's socket, one entry each. `session-socket.ts` itself handles watching, attaching and killing. */
import type { Failure } from '../../core/failure.ts';
import type { Result } from '../../core/result.ts';
import { success } from '../../core/result.ts';
import { answerReport, answerSend, answerSignal } from '../message/send-requests.ts';
import { lookAt } from '../message/session-target.ts';
import type { LiveSession } from './live-session.ts';

/**
 * Answers one request; the value is sent as JSON. The params come from another process, so check each. `gone` aborts when the caller
 * does not wait any more.
 */
export type SessionRequest = (
  session: LiveSession,
  params: Readonly<Record<string, unknown>>,
  gone: AbortSignal,
) => Promise<Result<unknown, Failure>>;

export const SESSION_REQUESTS: Readonly<Record<string, SessionRequest>> = {
  /** SessionView */
  describe: async (session) => {
    await lookAt(session);
    return success(await session.view());
  },
  /** The process id of its leader, or null */
  leader: async (session) => success(session.leaderPid),
  /** ScreenView */
  screen: async (session) => success(await session.screen()),
  /** SendReport */
  send: answerSend('send'),
  nudge: answerSend('nudge'),
  /** No value; the answer comes when the hook may go on */
  signal: answerSignal,
  report: answerReport,
};
