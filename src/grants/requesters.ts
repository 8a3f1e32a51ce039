/** Pauses, resumes and revokes requesters: calls the server with an owner key. */
import type { Failure } from '../core/failure.ts';
import { failed, type Result, success } from '../core/result.ts';
import type { HostChange } from '../core/wire/pause.ts';
import { callWithToken, failureOfAnswer, type GrantClient } from './client.ts';

/** @property reason the reason for a pause, for approvers to read; null: no reason was given, or the verb is not `pause` */
export interface RequesterChange {
  readonly verb: 'pause' | 'resume' | 'revoke';
  readonly reason: string | null;
}

const reasonOf = ({ reason }: RequesterChange) => (reason === null ? {} : { reason });

/** Changes one requester. Also succeeds if the requester already has the wanted state. */
export async function postRequesterChange(
  client: GrantClient,
  requesterId: string,
  change: RequesterChange,
): Promise<Result<null, Failure>> {
  const { verb } = change;
  const path = `/v1/requesters/${encodeURIComponent(requesterId)}/${verb}`;
  const body = verb === 'pause' ? { body: reasonOf(change) } : {};
  const answer = await callWithToken(client, { method: 'POST', path, ...body });
  if (!answer.ok) return answer;
  return answer.value.status === 204 ? success(null) : failed(failureOfAnswer(client, answer.value));
}

/**
 * Changes all requesters of a host, except revoked ones. Returns the ids of these requesters, and the ids of the requesters that this call
 * has changed.
 */
export async function postHostChange(
  client: GrantClient,
  host: string,
  change: RequesterChange,
): Promise<Result<HostChange, Failure>> {
  const body = { host, ...reasonOf(change) };
  const answer = await callWithToken(client, { method: 'POST', path: `/v1/hosts/${change.verb}`, body });
  if (!answer.ok) return answer;
  const { status, body: answered } = answer.value;
  const changed = answered as Partial<HostChange> | null;
  if (status === 200 && Array.isArray(changed?.requesterIds) && Array.isArray(changed.changedIds))
    return success(changed as HostChange);
  return failed(failureOfAnswer(client, answer.value));
}
