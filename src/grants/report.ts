/** Tells the server what happened on this host, for its record. Lost when the server is away: the local journal has it. */
import type { Failure } from '../core/failure.ts';
import type { ReportBody } from '../core/wire/report.ts';
import { callWithToken, failureOfAnswer, type GrantClient } from './client.ts';

/** Null when the server has it. */
export async function reportEvent(client: GrantClient, event: ReportBody): Promise<Failure | null> {
  const answer = await callWithToken(client, { method: 'POST', path: '/v1/reports', body: event });
  if (!answer.ok) return answer.failure;
  return answer.value.status === 204 ? null : failureOfAnswer(client, answer.value);
}
