/** Calls the server for an approver: lists, holds, continues or ends the sessions and commands that run on the hosts. */
import { type Failure, failure } from '../core/failure.ts';
import { failed, type Result, success } from '../core/result.ts';
import type { RunningAct } from '../core/running.ts';
import type { Acted, RunningHost } from '../core/wire/running.ts';
import { callWithToken, failureOfAnswer, type GrantClient } from './client.ts';
import { malformed } from './http.ts';

/** Lists the hosts, and what runs on each host. For a host that is slow or has disconnected, the server returns the host's last list. */
export async function fetchRunning(client: GrantClient): Promise<Result<readonly RunningHost[], Failure>> {
  const answer = await callWithToken(client, { method: 'GET', path: '/v1/running' });
  if (!answer.ok) return answer;
  const hosts = (answer.value.body as { hosts?: unknown } | null)?.hosts;
  if (answer.value.status !== 200) return failed(failureOfAnswer(client, answer.value));
  return Array.isArray(hosts)
    ? success(hosts as readonly RunningHost[])
    : failed(malformed(client.server, 'a list of unknown shape'));
}

/** @param target the whole id of a session on this requester's host, or of a grant whose commands run on this host */
export async function actOnRunning(
  client: GrantClient,
  requesterId: string,
  target: string,
  act: RunningAct,
): Promise<Result<Acted, Failure>> {
  const path = `/v1/running/${encodeURIComponent(requesterId)}/${encodeURIComponent(target)}/${act}`;
  const answer = await callWithToken(client, { method: 'POST', path });
  if (!answer.ok) return answer;
  const { status, body } = answer.value;
  const acted = body as Partial<Acted> | null;
  if (status === 200 && typeof acted?.processes === 'number' && Array.isArray(acted.notHeld))
    return success(acted as Acted);
  return failed(failureOfAnswer(client, answer.value));
}

/**
 * Finds a session of `fetchRunning` by its id, its name, or a unique prefix of its id. Fails (exit status 64) if no session matches, or
 * if several match.
 */
export async function findRunningSession(
  client: GrantClient,
  word: string,
): Promise<Result<{ readonly requesterId: string; readonly id: string }, Failure>> {
  const hosts = await fetchRunning(client);
  if (!hosts.ok) return hosts;
  const all = hosts.value.flatMap(({ requesterId, sessions }) =>
    sessions.map((session) => ({ requesterId, ...session })),
  );
  const exact = all.filter(({ id, name }) => id === word || name === word);
  const found = exact.length > 0 || word === '' ? exact : all.filter(({ id }) => id.startsWith(word));
  const [only, second] = found;
  if (only === undefined)
    return failed(
      failure(
        'usage',
        `no host has a session ${JSON.stringify(word)}`,
        'see the page Sessions of the grant server',
        'session.not-found',
      ),
    );
  if (second === undefined) return success(only);
  return failed(failure('usage', `several sessions match ${word}`, 'write the whole id', 'session.ambiguous'));
}
