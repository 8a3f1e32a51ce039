/** The checks of `apes health` about the grant server. */

import { type Failure, failure } from '../../core/failure.ts';
import { failed, type Result, success } from '../../core/result.ts';
import { formatDuration } from '../../core/text/duration.ts';
import { callWithToken, failureOfAnswer, type GrantClient, listGrants } from '../../grants/client.ts';
import { callServer, malformed } from '../../grants/http.ts';
import { obtainToken } from '../../grants/token.ts';
import type { Installation } from '../../platform/installation.ts';
import { findLocalServer, silentServer } from '../server/local-server.ts';
import { type CheckResult, fail, ok, warn } from './check.ts';

type Client = Result<GrantClient, Failure>;

/** @property skewMs our clock minus the server's clock, corrected for the latency; null: the server sends no time */
export interface Contact {
  readonly url: string;
  readonly version: string;
  readonly latencyMs: number;
  readonly skewMs: number | null;
}

/** Gets the server's version, latency and clock difference. Fails with `protocol` (76) if the server's key is not the enrolled key. */
export async function contact(client: GrantClient): Promise<Result<Contact, Failure>> {
  const { server, identity } = client;
  const startedMs = client.clock.elapsedMs();
  const answer = await callServer(server, { method: 'GET', path: '/v1/server' });
  const latencyMs = client.clock.elapsedMs() - startedMs;
  if (!answer.ok) return answer;
  const info = answer.value.body as { publicKey?: unknown; version?: unknown } | null;
  if (answer.value.status !== 200 || typeof info?.publicKey !== 'string')
    return failed(malformed(server, `its answer has an unknown shape (HTTP ${answer.value.status})`));
  if (info.publicKey !== identity.serverPublicKey)
    return failed(
      failure(
        'protocol',
        `another server answers at ${server.url}: its key is not the enrolled key`,
        'enrol again only if you know why: apes up --replace, or apes logout and apes login URL',
      ),
    );
  const { serverTimeMs } = answer.value;
  const skewMs = serverTimeMs === null ? null : client.clock.nowMs() - latencyMs / 2 - serverTimeMs;
  return success({ url: server.url, version: String(info.version), latencyMs, skewMs });
}

export function identity(client: Client): CheckResult {
  if (!client.ok) return fail(client.failure);
  const { name, subjectId, serverUrl } = client.value.identity;
  return ok(`${name} (${subjectId}), enrolled with ${serverUrl}`);
}

const UNKNOWN = 'not known: the server was not reached';

export function server(seen: Result<Contact, Failure>): CheckResult {
  if (!seen.ok)
    return seen.failure.detail === 'not-enrolled'
      ? warn('not asked: this host is not enrolled')
      : seen.failure.code === 'configuration'
        ? warn('not asked: the identity of this host cannot be used')
        : fail(seen.failure);
  const { url, version, latencyMs } = seen.value;
  return ok(`${url} answers in ${Math.round(latencyMs)} ms, version ${version}, with the enrolled key`);
}

const LARGE_SKEW_MS = 5000;

export function clock(seen: Result<Contact, Failure>): CheckResult {
  if (!seen.ok) return warn(UNKNOWN);
  if (seen.value.skewMs === null) return warn('not known: the answer of the server does not contain the time');
  const { skewMs } = seen.value;
  if (Math.abs(skewMs) <= LARGE_SKEW_MS) return ok(`within ${LARGE_SKEW_MS / 1000} s of the server's`);
  const side = skewMs > 0 ? 'ahead of' : 'behind';
  return warn(
    `${formatDuration(Math.abs(skewMs))} ${side} the server's`,
    'set the clock (NTP): ages and expiries are shown wrong',
  );
}

/**
 * Tests the token with a call: the server may have revoked the token before its expiry. If no valid token is stored, fetches and stores a
 * new token.
 */
export async function token(client: Client, seen: Result<Contact, Failure>): Promise<CheckResult> {
  if (!client.ok || !seen.ok) return warn(UNKNOWN);
  const kept = await obtainToken(client.value, false);
  if (!kept.ok) return fail(kept.failure);
  const answer = await callWithToken(client.value, { method: 'GET', path: '/v1/whoami' });
  if (!answer.ok) return fail(answer.failure);
  if (answer.value.status !== 200) return fail(failureOfAnswer(client.value, answer.value));
  const role = (answer.value.body as { role?: unknown } | null)?.role;
  return role === 'requester'
    ? ok('accepted')
    : fail(failure('protocol', 'the server does not treat this host as a requester'));
}

const SHOWN_PENDING = 200;

export async function grants(client: Client, seen: Result<Contact, Failure>): Promise<CheckResult> {
  if (!client.ok || !seen.ok) return warn(UNKNOWN);
  const pending = await listGrants(client.value, { state: 'pending', limit: SHOWN_PENDING });
  if (!pending.ok) return fail(pending.failure);
  const count = pending.value.length;
  return ok(`${count === SHOWN_PENDING ? `${count} or more` : count} pending`);
}

/** If no server of this installation runs, the check passes: the host possibly uses another server. */
export async function examineOwnServer({ paths, settings }: Installation): Promise<CheckResult> {
  const found = await findLocalServer(paths, Math.min(3000, settings.server.timeoutMs));
  if (!found.ok) return fail(found.failure);
  if (found.value.kind === 'stopped') return ok('no server of this installation runs here');
  const { url, pid, publicUrl } = found.value.record;
  if (found.value.kind === 'silent') return fail(silentServer(found.value.record));
  return ok(`runs (pid ${pid}) at ${url}${publicUrl === url ? '' : `, for approvers at ${publicUrl}`}`);
}
