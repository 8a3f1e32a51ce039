/** The client of the grant server, for the gate and the control verbs. All calls are authenticated. */
import { randomBytes } from 'node:crypto';
import { type HostFacts, levelIn } from '../core/effects/host-facts.ts';
import { type Failure, failure, nothingRan } from '../core/failure.ts';
import type { ExecutionRequest } from '../core/grant/request.ts';
import { failed, type Result, success } from '../core/result.ts';
import { sealFailure } from '../core/sealed/seal-fault.ts';
import type { AskBody } from '../core/wire/ask.ts';
import type { ApproveBody, DenyBody } from '../core/wire/decisions.ts';
import type { ErrorCode } from '../core/wire/error.ts';
import type { GrantView } from '../core/wire/grant-view.ts';
import type { PermitPayload } from '../core/wire/permit.ts';
import type { PlanBody } from '../core/wire/plan-body.ts';
import type { RedeemBody } from '../core/wire/redeem.ts';
import type { Clock } from '../platform/clock.ts';
import { hostFactsDigest } from '../platform/host-facts-digest.ts';
import { finalStateFailure, readErrorCode, readGrant } from './answers.ts';
import { callServer, malformed, type ServerAnswer, type ServerCall } from './http.ts';
import { verifyPermit } from './permit.ts';
import type { PersistentConnection } from './persistent-connection.ts';
import { obtainToken, type TokenParts } from './token.ts';

/**
 * Everything that a call needs.
 * @property kept   the persistent connection of a process that makes many calls; absent: every call goes over HTTP
 * @property follow checks whether the enrolled server has another address now. If so, puts that address into `server` and returns true
 */
export interface GrantClient extends TokenParts {
  readonly kept?: PersistentConnection;
  readonly clock: Clock;
  readonly follow?: () => boolean;
}

/** `isNew`: whether this call has filed the request; false: the same request was filed before. */
export type AskResult =
  | { readonly kind: 'permitted'; readonly payload: PermitPayload }
  /** The server has filed nothing. The caller has to look up host facts, and to send these facts in a second call. */
  | { readonly kind: 'wants-findings' }
  | { readonly kind: 'pending'; readonly grant: GrantView; readonly isNew: boolean };

/**
 * Makes a call with the stored token. Returns the answer, whatever its status. If the server refuses the token (401), repeats the call with
 * a fresh token, at most twice. If the server cannot be reached and has another address now (`follow`), repeats the call at the new
 * address.
 */
export async function callWithToken(client: GrantClient, call: ServerCall): Promise<Result<ServerAnswer, Failure>> {
  let first = await callOnce(client, call, false);
  if (!first.ok && first.failure.code === 'unavailable' && client.follow?.() === true)
    first = await callOnce(client, call, false);
  // Two attempts are needed. In the first attempt, another process of this host can replace the key after the fresh token was fetched.
  // The server then refuses this token.
  for (let attempt = 0; attempt < 2 && first.ok && first.value.status === 401; attempt += 1)
    first = await callOnce(client, call, true);
  return first;
}

async function callOnce(
  client: GrantClient,
  call: ServerCall,
  mustBeFresh: boolean,
): Promise<Result<ServerAnswer, Failure>> {
  const token = await obtainToken(client, mustBeFresh);
  if (!token.ok) return token;
  const whole = { ...call, token: token.value };
  return client.kept?.call(whole) ?? callServer(client.server, whole);
}

/** Clients whose server is too old for the members `pin` and `batches`. */
const clientsOfOldServers = new WeakSet<GrantClient>();

/**
 * Posts a body that can have the members `pin` and `batches`. An older server refuses these members (400). After such a refusal, repeats
 * the call without these members. If the second answer is not 400, later calls leave `pin` and `batches` out. Returns the answer, whatever
 * its status.
 */
export async function postWithSealClaims(
  client: GrantClient,
  path: string,
  body: AskBody | PlanBody,
): Promise<Result<ServerAnswer, Failure>> {
  const { pin, batches, ...rest } = body;
  if ((pin === undefined && batches === undefined) || clientsOfOldServers.has(client))
    return callWithToken(client, { method: 'POST', path, body: rest });
  const answer = await callWithToken(client, { method: 'POST', path, body });
  if (!answer.ok || answer.value.status !== 400) return answer;
  const again = await callWithToken(client, { method: 'POST', path, body: rest });
  if (again.ok && again.value.status !== 400) clientsOfOldServers.add(client);
  return again;
}

const freshNonce = (): string => randomBytes(24).toString('base64url');

/**
 * @property findings the host facts; null: the host cannot look up the facts; absent: the host has not looked up the facts yet
 * @property touches  the impact preview for the approver; null or absent: there is no preview
 */
export type AskOptions = Omit<AskBody, 'request' | 'nonce'>;

/** Asks for `request`. If grants cover the request, this call is also one use of these grants. */
export async function askGrant(
  client: GrantClient,
  request: ExecutionRequest,
  fingerprint: string,
  options: AskOptions = {},
): Promise<Result<AskResult, Failure>> {
  const nonce = freshNonce();
  const answer = await postWithSealClaims(client, '/v1/requests', { request, nonce, ...options } satisfies AskBody);
  if (!answer.ok) return answer;
  const { status, body } = answer.value;
  const outcome = body as { outcome?: unknown; permit?: unknown; grant?: unknown; filed?: unknown } | null;
  if (status === 200 && outcome?.outcome === 'permitted') {
    const payload = verifyPermit(outcome.permit, {
      serverPublicKey: client.identity.serverPublicKey,
      subjectId: client.identity.subjectId,
      fingerprint,
      nonce,
      findingsDigest: hostFactsDigest(options.findings ?? null),
      connectionKey: answer.value.connectionKey ?? null,
      confinementLevel: options.findings ? levelIn(options.findings) : null,
    });
    return payload.ok ? success({ kind: 'permitted', payload: payload.value }) : payload;
  }
  // A server may ask for host facts only once. Otherwise the caller would ask again without end.
  if (status === 200 && outcome?.outcome === 'wants-findings' && options.findings === undefined)
    return success({ kind: 'wants-findings' });
  const grant = status === 202 && outcome?.outcome === 'pending' ? readGrant(outcome.grant) : null;
  if (grant === null) return failed(failureOfAnswer(client, answer.value));
  if (grant.fingerprint !== fingerprint) return failed(malformed(client.server, 'it filed another command'));
  return success({ kind: 'pending', grant, isNew: outcome?.filed === true });
}

/**
 * @property isSealedOnly whether this host takes only sealed approvals; false by default
 * @property hostFacts    the host facts for this use; null (the default): the grant has no scope for commands
 */
interface RedeemOptions {
  readonly isSealedOnly?: boolean;
  readonly hostFacts?: HostFacts | null;
}

/**
 * Redeems the approved grant with this whole id. The redemption is one use of the grant. Fails if the grant is not approved: with 75 for a
 * pending grant, else with 77.
 */
export async function redeemGrant(
  client: GrantClient,
  grantId: string,
  fingerprint: string,
  { isSealedOnly = false, hostFacts = null }: RedeemOptions = {},
): Promise<Result<PermitPayload, Failure>> {
  const nonce = freshNonce();
  const answer = await callWithToken(client, {
    method: 'POST',
    path: `/v1/grants/${encodeURIComponent(grantId)}/redeem`,
    body: {
      fingerprint,
      nonce,
      ...(isSealedOnly ? { sealedOnly: true as const } : {}),
      ...(hostFacts === null ? {} : { findings: hostFacts }),
    } satisfies RedeemBody,
  });
  if (!answer.ok) return answer;
  if (answer.value.status !== 200) return failed(failureOfAnswer(client, answer.value));
  return verifyPermit((answer.value.body as { permit?: unknown } | null)?.permit, {
    serverPublicKey: client.identity.serverPublicKey,
    subjectId: client.identity.subjectId,
    fingerprint,
    nonce,
    findingsDigest: hostFactsDigest(hostFacts),
    connectionKey: answer.value.connectionKey ?? null,
    confinementLevel: hostFacts === null ? null : levelIn(hostFacts),
    isByScope: hostFacts !== null,
  });
}

/** Fetches one grant by its whole id. Fails with 77 if there is no such grant, or if this caller may not see the grant. */
export async function fetchGrant(client: GrantClient, grantId: string): Promise<Result<GrantView, Failure>> {
  return readGrantAnswer(
    client,
    await callWithToken(client, { method: 'GET', path: `/v1/grants/${encodeURIComponent(grantId)}` }),
  );
}

/**
 * Makes one change of the grant. The caller is the requester, or a person with an owner's key. With `version` in the body, the server
 * refuses an approval if the grant has changed since that version; a denial still counts.
 * @param grantId the whole id
 */
export async function postGrantChange(
  client: GrantClient,
  grantId: string,
  step: 'withdraw' | 'approve' | 'deny' | 'revoke',
  body: Partial<ApproveBody> | Partial<DenyBody> = {},
): Promise<Result<GrantView, Failure>> {
  const path = `/v1/grants/${encodeURIComponent(grantId)}/${step}`;
  return readGrantAnswer(client, await callWithToken(client, { method: 'POST', path, body }));
}

/**
 * Returns the grants that this caller may see, newest first. `limit`: 1 to 200, 50 by default. `beforeMs`: only grants that were filed
 * before this time (Unix ms). `idPrefix`: only grants whose id begins with this text.
 */
export async function listGrants(
  client: GrantClient,
  filter: {
    readonly kind?: 'plan';
    readonly state?: string;
    readonly limit?: number;
    readonly beforeMs?: number;
    readonly idPrefix?: string;
  },
): Promise<Result<readonly GrantView[], Failure>> {
  const query = new URLSearchParams();
  if (filter.kind !== undefined) query.set('kind', filter.kind);
  if (filter.state !== undefined) query.set('state', filter.state);
  if (filter.beforeMs !== undefined) query.set('before', String(filter.beforeMs));
  if (filter.idPrefix !== undefined) query.set('id', filter.idPrefix);
  query.set('limit', String(filter.limit ?? 50));
  const answer = await callWithToken(client, { method: 'GET', path: `/v1/grants?${query}` });
  if (!answer.ok) return answer;
  const list = (answer.value.body as { grants?: unknown } | null)?.grants;
  if (answer.value.status !== 200 || !Array.isArray(list)) return failed(failureOfAnswer(client, answer.value));
  const grants = list.map(readGrant);
  return grants.every((grant) => grant !== null)
    ? success(grants)
    : failed(malformed(client.server, 'a grant of unknown shape'));
}

function readGrantAnswer(client: GrantClient, answer: Result<ServerAnswer, Failure>): Result<GrantView, Failure> {
  if (!answer.ok) return answer;
  const grant = answer.value.status === 200 ? readGrant(answer.value.body) : null;
  return grant === null ? failed(failureOfAnswer(client, answer.value)) : success(grant);
}

/** Errors about a grant that is already decided or over. An answer with one of these errors contains the grant. */
const SETTLED: ReadonlySet<string> = new Set<ErrorCode>([
  'grant.denied',
  'grant.withdrawn',
  'grant.used',
  'grant.revoked',
  'grant.expired',
  'grant.already_approved',
]);

/** Returns the failure for an answer that is an error, or is not what the call asked for. */
export function failureOfAnswer(client: GrantClient, answer: ServerAnswer): Failure {
  const error = readErrorCode(answer.body);
  if (error === null) return malformed(client.server, `its answer has an unknown shape (HTTP ${answer.status})`);
  if (error.code === 'grant.pending') return failure('pending', error.message, undefined, error.code);
  if (error.grant !== null && SETTLED.has(error.code))
    return { ...finalStateFailure(error.grant, client.clock.nowMs()), detail: error.code };
  if (error.code === 'request.malformed')
    return failure('usage', `the grant server refuses the request: ${error.message}`, undefined, error.code);
  if (error.code === 'plan.unfit')
    return failure('usage', `the plan cannot be filed: ${error.message}`, undefined, error.code);
  if (error.code === 'grant.not_found' || error.code === 'grant.not_yours')
    return failure('refused', 'refused: there is no such grant of yours', 'see `apes grants list`', error.code);
  if (error.code === 'seal.required') return sealFailure('missing');
  if (error.code === 'policy.denied')
    return failure(
      'refused',
      `refused: ${error.message}`,
      'do not ask for it again, nor in other words; ask your human',
      error.code,
    );
  if (error.code === 'requester.paused')
    return failure(
      'refused',
      `refused: ${error.message}`,
      'stop, and tell your human; do not try it another way',
      error.code,
    );
  if (error.code.startsWith('auth.')) return failure('refused', `refused: ${error.message}`, undefined, error.code);
  if (error.code.startsWith('server.'))
    return nothingRan(
      failure('unavailable', `the grant server has a problem: ${error.message}`, 'try again', error.code),
    );
  return failure('refused', `refused: ${error.message}`, undefined, error.code);
}
