/** Calls the grant server to file a plan, to read the sheet of a plan, and to end a plan. `id` is a whole id (`wholeGrantId`). */
import type { Failure } from '../core/failure.ts';
import { failed, type Result, success } from '../core/result.ts';
import type { GrantView } from '../core/wire/grant-view.ts';
import type { PlanSheet } from '../core/wire/plan.ts';
import type { PlanBody } from '../core/wire/plan-body.ts';
import { readGrant } from './answers.ts';
import { callWithToken, failureOfAnswer, type GrantClient, postWithSealClaims } from './client.ts';
import { malformed } from './http.ts';

/** `approved`: the same plan was filed earlier, and its approval is in force. `isNew`: whether this call has filed the plan. */
export type PlanAnswer =
  | { readonly kind: 'approved'; readonly grant: GrantView }
  | { readonly kind: 'pending'; readonly grant: GrantView; readonly isNew: boolean };

/** Files a plan. If the answer is about a plan with another fingerprint, fails with exit status 76. */
export async function postPlan(
  client: GrantClient,
  body: PlanBody,
  fingerprint: string,
): Promise<Result<PlanAnswer, Failure>> {
  const answer = await postWithSealClaims(client, '/v1/plans', body);
  if (!answer.ok) return answer;
  const { status } = answer.value;
  const outcome = answer.value.body as { outcome?: unknown; grant?: unknown; filed?: unknown } | null;
  const isPending = status === 202 && outcome?.outcome === 'pending';
  const isApproved = status === 200 && outcome?.outcome === 'approved';
  const grant = isPending || isApproved ? readGrant(outcome?.grant) : null;
  if (grant === null) return failed(failureOfAnswer(client, answer.value));
  if (grant.fingerprint !== fingerprint) return failed(malformed(client.server, 'it filed another plan'));
  if (isPending) return success({ kind: 'pending', grant, isNew: outcome?.filed === true });
  return grant.state === 'approved'
    ? success({ kind: 'approved', grant })
    : failed(malformed(client.server, 'a plan of an unknown state'));
}

/** Fetches the sheet of a plan: its parts, and how each part was used. */
export async function fetchSheet(client: GrantClient, id: string): Promise<Result<PlanSheet, Failure>> {
  const answer = await callWithToken(client, { method: 'GET', path: `/v1/plans/${encodeURIComponent(id)}` });
  if (!answer.ok) return answer;
  const sheet = answer.value.status === 200 ? (answer.value.body as Partial<PlanSheet> | null) : null;
  if (sheet === null) return failed(failureOfAnswer(client, answer.value));
  return Array.isArray(sheet.parts)
    ? success(sheet as PlanSheet)
    : failed(malformed(client.server, 'a plan of unknown shape'));
}

/** Ends an approved plan, and returns the plan's grant. Fails if the plan is not approved. */
export async function finishPlan(client: GrantClient, id: string): Promise<Result<GrantView, Failure>> {
  const answer = await callWithToken(client, { method: 'POST', path: `/v1/plans/${encodeURIComponent(id)}/done` });
  if (!answer.ok) return answer;
  const grant = answer.value.status === 200 ? readGrant(answer.value.body) : null;
  return grant === null ? failed(failureOfAnswer(client, answer.value)) : success(grant);
}
