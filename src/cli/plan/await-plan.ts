/** Waits for the decision on a plan, and prints the plan's sheet. */
import { failure } from '../../core/failure.ts';
import type { GrantView } from '../../core/wire/grant-view.ts';
import type { PlanSheet } from '../../core/wire/plan.ts';
import type { GrantClient } from '../../grants/client.ts';
import { fetchSheet } from '../../grants/plans.ts';
import { systemClock } from '../../platform/clock.ts';
import type { Installation } from '../../platform/installation.ts';
import type { CliContext } from '../context.ts';
import { answering, type Ending, failing } from '../ending.ts';
import { awaitDecision } from '../grants/await-decision.ts';
import { sheetText } from './sheet-text.ts';

/** Prints the sheet, and ends with 0. */
export const sheetAnswer = (grant: GrantView, sheet: PlanSheet): Ending =>
  answering({ ...planFacts(grant), parts: sheet.parts }, sheetText(grant, sheet, systemClock.nowMs()));

/** Returns the members of a plan in `--json`. `untilMs` is null before the approval. `order` is true if the parts must be used in order. */
export const planFacts = ({ id, state, term, url, denyReason, request }: GrantView) => ({
  planId: id,
  state,
  denyReason,
  untilMs: term?.kind === 'timed' ? term.untilMs : null,
  order: request.plan?.order === true,
  url,
});

/**
 * Waits until the plan is decided.
 * - approved: prints the sheet, and ends with 0
 * - not approved: ends with the failure for the plan's state
 * - still pending after `timeoutMs`: ends with `asyncExitCode`, and names the command that waits again
 * - the grant is no plan: ends with a usage failure at once
 */
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
  const wait = { timeoutMs, again: `apes plan wait ${grant.id}`, pendingStatus: shell.asyncExitCode };
  return awaitDecision(context, client, grant, wait, (approved) => approvedSheet(client, approved));
}

async function approvedSheet(client: GrantClient, grant: GrantView): Promise<Ending> {
  const sheet = await fetchSheet(client, grant.id);
  return sheet.ok ? sheetAnswer(grant, sheet.value) : failing(sheet.failure);
}
