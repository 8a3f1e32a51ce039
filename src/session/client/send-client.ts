/** Sends a message into a session that another process hosts. */
import type { Failure } from '../../core/failure.ts';
import type { SendMode } from '../../core/message/send-guard.ts';
import { type SendReport, type SendWay, sendReport } from '../../core/message/send-outcome.ts';
import { type Result, success } from '../../core/result.ts';
import { openSession } from './find-session.ts';

/**
 * @property waitIdleMs how long to wait for the end of the agent's turn; 0: no wait
 * @property via        the only way that may be used; absent: the message API if the agent offers this API, else keys
 */
export interface Message {
  readonly mode: SendMode;
  readonly text: string;
  readonly waitIdleMs: number;
  readonly via?: SendWay;
}

/**
 * The time limit of a send, without `waitIdleMs`. The host needs this time to wait for earlier sends, to wait while the state `blocked` is
 * possibly out of date, and to confirm up to three Enters.
 */
const SEND_MS = 60_000;

/**
 * Sends to the session that `session` names: an id, a name, or a unique beginning of an id or name.
 *
 * Fails if the message is bad (`usage`), if `session` fits several sessions, if the host does not answer, or if the records of the sessions
 * cannot be read. Every other outcome is a report, for example `not-found` (no such session) or `terminated` (the session has ended).
 * @param directory has the records of the sessions (`sessionDirectory`)
 */
export async function sendToSession(
  directory: string,
  session: string,
  { mode, ...params }: Message,
): Promise<Result<SendReport, Failure>> {
  const client = await openSession(directory, session);
  if (!client.ok) {
    const { detail, message } = client.failure;
    if (detail === 'session.not-found') return success(sendReport('not-found', message));
    return detail === 'session.ended' ? success(sendReport('terminated', message)) : client;
  }
  const answer = await client.value.ask(mode, params, SEND_MS + params.waitIdleMs);
  client.value.close();
  return answer.ok ? success(answer.value as SendReport) : answer;
}
