/** The tool `grants_status` reports the state of a request. The tool `grants_run` waits for the decision and runs the command. */

import { failure, failureText } from '../core/failure.ts';
import { isDoneByTool } from '../core/grant/request.ts';
import type { Settings } from '../core/settings.ts';
import { formatDuration } from '../core/text/duration.ts';
import type { GrantView } from '../core/wire/grant-view.ts';
import { type Gate, redeem, waitAndRedeem } from '../gate/authorize.ts';
import { finalStateFailure } from '../grants/answers.ts';
import { fetchGrant } from '../grants/client.ts';
import { watchPlace } from '../run/execute.ts';
import { checkFit } from '../run/unfit-grant.ts';
import { failureAnswer, faultAnswer, grantFacts, nextCall, pendingAnswer } from './answers.ts';
import { readGrantId, readTimeout, type ToolArguments } from './arguments.ts';
import type { Conversation, ToolAnswer, Workplace } from './conversation.ts';
import { openDecisionWait } from './decision-wait.ts';
import { planStatus } from './plan-status.ts';
import { answerAuthorized, executionPlaceOf } from './run-authorized.ts';

export async function grantsStatusTool(workplace: Workplace, given: ToolArguments): Promise<ToolAnswer> {
  const id = readGrantId(given);
  if (!id.ok) return faultAnswer(id.failure);
  const gate = await workplace.openGate();
  if (!gate.ok) return faultAnswer(gate.failure);
  const { client } = gate.value;
  const grant = await fetchGrant(client, id.value);
  if (!grant.ok) return faultAnswer(grant.failure);
  const isOpen = grant.value.state === 'pending' || grant.value.state === 'approved';
  if (grant.value.request.plan === undefined || !isOpen) return statusAnswer(grant.value, client.clock.nowMs());
  const plan = await planStatus(client, grant.value);
  return plan.ok ? plan.value : faultAnswer(plan.failure);
}

/** The answer is never an error, not even for a denied request: `grants_status` only reports. */
function statusAnswer(grant: GrantView, nowMs: number): ToolAnswer {
  if (grant.state === 'pending')
    return { ...pendingAnswer(grant, nowMs, 'Pending: not decided yet.', null), isError: false };
  const facts = { outcome: 'status', ...grantFacts(grant), term: grant.term, uses: grant.uses };
  if (grant.state !== 'approved') {
    const text = failureText(finalStateFailure(grant, nowMs));
    return { text, structure: { ...facts, denyReason: grant.denyReason, message: text }, isError: false };
  }
  const term = grant.term?.kind === 'timed' ? `until ${new Date(grant.term.untilMs).toISOString()}` : grant.term?.kind;
  const since = grant.decidedAtMs === null ? '' : ` ${formatDuration(nowMs - grant.decidedAtMs)} ago`;
  const text = `Approved${since} (${term}), but not run by this call. To run it: call the tool grants_run with {"id":"${grant.id}"}`;
  return { text, structure: { ...facts, next: nextCall(grant.id), message: text }, isError: false };
}

export async function grantsRunTool(
  workplace: Workplace,
  given: ToolArguments,
  talk: Conversation,
): Promise<ToolAnswer> {
  const id = readGrantId(given);
  if (!id.ok) return faultAnswer(id.failure);
  const settings = await workplace.openSettings();
  if (!settings.ok) return failureAnswer(settings.failure);
  const timeoutMs = readTimeout(given, settings.value.shell.waitTimeoutMs);
  if (!timeoutMs.ok) return faultAnswer(timeoutMs.failure);
  const gate = await workplace.openGate();
  if (!gate.ok) return failureAnswer(gate.failure);
  const grant = await fetchGrant(gate.value.client, id.value);
  if (!grant.ok) return failureAnswer(grant.failure);
  return runGrant(workplace, settings.value, gate.value, grant.value, timeoutMs.value, talk);
}

async function runGrant(
  workplace: Workplace,
  settings: Settings,
  gate: Gate,
  grant: GrantView,
  timeoutMs: number,
  talk: Conversation,
): Promise<ToolAnswer> {
  const unfit = checkFit(grant, executionPlaceOf(workplace, settings, true));
  if (unfit !== null) return failureAnswer(unfit);
  // `grants_run` cannot use a grant for a tool call or a plan. The agent itself calls the tool again, or runs the lines of the plan.
  if (isDoneByTool(grant.request.kind))
    return failureAnswer(
      failure(
        'usage',
        grant.request.kind === 'plan' ? `grant ${grant.id} is a plan` : `grant ${grant.id} is about a call of a tool`,
        grant.request.kind === 'plan'
          ? 'once it is approved, run its lines'
          : 'once it is approved, call the same tool again with exactly the same input',
      ),
    );
  const wait = openDecisionWait(talk, timeoutMs);
  if (grant.state === 'pending') wait.begin(grant);
  const outcome =
    grant.state === 'approved'
      ? await redeem(gate, grant.request, grant)
      : await waitAndRedeem(gate, grant.request, grant, { ...wait.waitOptions, whyChanged: watchPlace(grant.request) });
  const page = await wait.finish();
  return answerAuthorized(workplace, settings, gate, talk, { outcome, page, grant, timeoutMs, isLater: true });
}
