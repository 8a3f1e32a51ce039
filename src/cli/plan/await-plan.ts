/** The wait for a plan, and its sheet as an answer. */
import { type Failure, failure } from '../../core/failure.ts';
import { serverNotice } from '../../core/server-notice.ts';
import { matchSuffix } from '../../core/text/match-text.ts';
import type { GrantView } from '../../core/wire/grant-view.ts';
import type { PlanSheet } from '../../core/wire/plan.ts';
import { finalStateFailure } from '../../grants/answers.ts';
import type { GrantClient } from '../../grants/client.ts';
import { fetchSheet } from '../../grants/plans.ts';
import { systemClock } from '../../platform/clock.ts';
import type { Installation } from '../../platform/installation.ts';
import type { CliContext } from '../context.ts';
import { answering, type Ending, failing } from '../ending.ts';
import { cancelledBySignal, dyingOfSignal } from '../grants/run-grant.ts';
import { sheetText } from './sheet-text.ts';

export const sheetAnswer = (grant: GrantView, sheet: PlanSheet): Ending =>
  answering({ ...planFacts(grant), parts: sheet.parts }, sheetText(grant, sheet, systemClock.nowMs()));

export const planFacts = ({ id, state, term, url, denyReason, request }: GrantView) => ({
  planId: id,
  state,
  denyReason,
  untilMs: term?.kind === 'timed' ? term.untilMs : null,
  order: request.plan?.order === true,
  url,
});

/** 0 and the sheet when it is approved; a refusal with its reason; or what to call again. */
export async function awaitPlan(
  context: CliContext,
  client: GrantClient,
  { settings: { shell } }: Pick<Installation, 'settings'>,
  grant: GrantView,
  timeoutMs = shell.waitTimeoutMs,
): Promise<Ending> {
  if (grant.request.plan === undefined)
    return failing(failure('usage', `grant ${grant.id} is no plan`, `call: apes grants run ${grant.id} --wait`));
  if (grant.state === 'approved') return approvedSheet(client, grant);
  context.err(`apes: waiting for a decision on plan ${grant.id} (${grant.url})${matchSuffix(grant)}\n`);
  const { waitForDecision } = await import('../../gate/wait.ts');
  const outcome = await waitForDecision(client, grant.id, {
    timeoutMs,
    cancelled: cancelledBySignal(context),
    onBeat: (waitedMs) => context.err(`apes: still waiting, ${Math.round(waitedMs / 1000)} s\n`),
    onServer: (isThere) => context.err(`apes: ${serverNotice(isThere)}\n`),
  });
  switch (outcome.kind) {
    case 'approved':
      return approvedSheet(client, outcome.grant);
    case 'final':
      return failing(finalStateFailure(outcome.grant, systemClock.nowMs()));
    case 'failed':
      return failing(outcome.failure);
    case 'timed-out':
      return failing(stillPending(grant.id), shell.asyncExitCode);
    case 'cancelled':
      context.err(`apes: interrupted; the plan stays pending (grant ${grant.id})\n`);
      return dyingOfSignal();
  }
}

const stillPending = (id: string): Failure =>
  failure('pending', `the wait timed out; the plan stays pending (grant ${id})`, `call again: apes plan wait ${id}`);

async function approvedSheet(client: GrantClient, grant: GrantView): Promise<Ending> {
  const sheet = await fetchSheet(client, grant.id);
  return sheet.ok ? sheetAnswer(grant, sheet.value) : failing(sheet.failure);
}
