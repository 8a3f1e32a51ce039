/** How a verb, or the server, sends into a session that another process hosts. */
import type { Failure } from '../../core/failure.ts';
import type { SendMode } from '../../core/message/send-guard.ts';
import { type SendReport, type SendWay, sendReport } from '../../core/message/send-outcome.ts';
import { type Result, success } from '../../core/result.ts';
import { openSession } from './find-session.ts';

/**
 * @property waitIdleMs until its turn is over; 0 does not wait
 * @property via        the only way that may be used; without it, the agent's message API where there is one, else keys
 */
export interface Message {
  readonly mode: SendMode;
  readonly text: string;
  readonly waitIdleMs: number;
  readonly via?: SendWay;
}

/** The longest a send takes by itself: a stale `blocked` is watched, three Enters are confirmed, others stand in line. */
const SEND_MS = 60_000;

/** Fails for a bad message (`usage`, detail MESSAGE_…) and for a host that does not answer; everything else is a report. */
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
