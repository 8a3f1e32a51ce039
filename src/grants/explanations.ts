/**
 * Asks the server about a grant or a request: who decided the grant, which scopes the server offers for the grant, and what the server
 * would decide about the request now. `grantId` is always a whole id.
 */
import { type Failure, failure } from '../core/failure.ts';
import { failed, type Result, success } from '../core/result.ts';
import type { ExplainAnswer, ExplainBody } from '../core/wire/explain.ts';
import type { ProposalsAnswer } from '../core/wire/proposals.ts';
import type { WhyAnswer } from '../core/wire/why.ts';
import { readGrant } from './answers.ts';
import { callWithToken, failureOfAnswer, type GrantClient } from './client.ts';
import { malformed } from './http.ts';

/** Asks who decided a grant, and why no standing grant covers its line. A requester may ask only about its own grants. */
export async function fetchWhy(client: GrantClient, grantId: string): Promise<Result<WhyAnswer, Failure>> {
  const answer = await fetchAbout(client, grantId, 'why');
  if (!answer.ok) return answer;
  const body = answer.value as Partial<WhyAnswer> | null;
  const isWhole = readGrant(body?.grant) !== null && body?.coverable !== undefined && Array.isArray(body.uses);
  return isWhole ? success(body as WhyAnswer) : failed(malformed(client.server, 'an explanation of unknown shape'));
}

/** Asks which scopes the server offers for a grant, the narrowest first. A requester may not ask. */
export async function fetchProposals(client: GrantClient, grantId: string): Promise<Result<ProposalsAnswer, Failure>> {
  const answer = await fetchAbout(client, grantId, 'proposals');
  if (!answer.ok) return answer;
  const body = answer.value as Partial<ProposalsAnswer> | null;
  return Array.isArray(body?.proposals)
    ? success(body as ProposalsAnswer)
    : failed(malformed(client.server, 'proposals of unknown shape'));
}

/** Asks what the server would decide about a request now. This creates no request, and uses no grant. */
export async function fetchVerdict(client: GrantClient, asked: ExplainBody): Promise<Result<ExplainAnswer, Failure>> {
  const answer = await callWithToken(client, { method: 'POST', path: '/v1/explain', body: { ...asked } });
  if (!answer.ok) return answer;
  const { status, body } = answer.value;
  const outcome = (body as Partial<ExplainAnswer> | null)?.outcome;
  if (status === 200 && outcome !== undefined && OUTCOMES.has(outcome)) return success(body as ExplainAnswer);
  return failed(status === 404 && !isError(body) ? OLDER : failureOfAnswer(client, answer.value));
}

const OUTCOMES: ReadonlySet<string> = new Set(['forbidden', 'covered', 'uncovered']);
const OLDER = failure(
  'protocol',
  'the grant server is older than this program: it cannot explain requests',
  'update the server',
);

async function fetchAbout(client: GrantClient, grantId: string, what: string): Promise<Result<unknown, Failure>> {
  const path = `/v1/grants/${encodeURIComponent(grantId)}/${what}`;
  const answer = await callWithToken(client, { method: 'GET', path });
  if (!answer.ok) return answer;
  const { status, body } = answer.value;
  if (status === 200) return success(body);
  return failed(status === 404 && !isError(body) ? OLDER : failureOfAnswer(client, answer.value));
}

const isError = (body: unknown): boolean => typeof body === 'object' && body !== null && 'error' in body;
