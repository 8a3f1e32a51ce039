/** Tells the server what happened on this host, for its record. Lost when the server is away: the local journal has it. */
import { callWithToken, type GrantClient } from './client.ts';

export interface ReportedEvent {
  readonly event: 'line.finished' | 'line.refused' | 'session.opened' | 'session.closed';
  readonly sessionId: string;
  readonly grantId?: string;
  /** Exit status, 0 to 255. */
  readonly status?: number;
}

export async function reportEvent(client: GrantClient, event: ReportedEvent): Promise<void> {
  await callWithToken(client, { method: 'POST', path: '/v1/reports', body: event });
}
