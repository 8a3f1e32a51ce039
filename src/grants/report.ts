/** Reports to the server what happened on this host. An event whose report does not arrive is only in the host's journal. */
import type { Failure } from '../core/failure.ts';
import type { ReportBody } from '../core/wire/report.ts';
import { callWithToken, failureOfAnswer, type GrantClient } from './client.ts';

/** Returns null if the server has recorded the event. */
export async function reportEvent(client: GrantClient, event: ReportBody): Promise<Failure | null> {
  const answer = await callWithToken(client, { method: 'POST', path: '/v1/reports', body: event });
  if (!answer.ok) return answer.failure;
  return answer.value.status === 204 ? null : failureOfAnswer(client, answer.value);
}
