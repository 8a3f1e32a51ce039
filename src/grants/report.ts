/** Tells the server what happened on this host, for its record. Lost when the server is away: the local journal has it. */
import type { Failure } from '../core/failure.ts';
import { callWithToken, failureOfAnswer, type GrantClient } from './client.ts';

export interface ReportedEvent {
  readonly event: 'line.finished' | 'line.refused' | 'session.opened' | 'session.closed';
  readonly sessionId: string;
  readonly grantId?: string;
  /** Exit status, 0 to 255. */
  readonly status?: number;
}

/** Null when the server has it. */
export async function reportEvent(client: GrantClient, event: ReportedEvent): Promise<Failure | null> {
  const answer = await callWithToken(client, { method: 'POST', path: '/v1/reports', body: event });
  if (!answer.ok) return answer.failure;
  return answer.value.status === 204 ? null : failureOfAnswer(client, answer.value);
}
