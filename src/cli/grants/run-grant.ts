/** `apes grants run ID [--wait]`: waits for the decision, and then runs the command. */
import { failure } from '../../core/failure.ts';
import { isDoneByTool } from '../../core/grant/request.ts';
import { failed, success } from '../../core/result.ts';
import type { GrantView } from '../../core/wire/grant-view.ts';
import { type Authorization, type Gate, redeem, waitAndRedeem } from '../../gate/authorize.ts';
import { fetchGrant } from '../../grants/client.ts';
import { withGrantId } from '../../grants/grant-id.ts';
import type { Installation } from '../../platform/installation.ts';
import { type ExecutionPlace, planExecution, watchPlace } from '../../run/execute.ts';
import { grantedText } from '../../run/granted-text.ts';
import { checkFit } from '../../run/unfit-grant.ts';
import type { CliContext } from '../context.ts';
import { answering, type Ending, failing } from '../ending.ts';
import { makeHoldable } from '../make-holdable.ts';
import { orFailing, withGate } from '../opened.ts';
import { awaitDecision, interrupted, sayWaiting, waitReports } from './await-decision.ts';

/** @property timeout in milliseconds; absent: `waitTimeoutMs` of the settings */
interface RunGrantOptions {
  readonly wait?: true;
  readonly timeout?: number;
}

/** @param given the id of the grant, or its beginning */
export const runGrant = (context: CliContext, given: string, options: RunGrantOptions): Promise<Ending> =>
  orFailing(
    withGate(context, async (gate, installation) => {
      const grant = await withGrantId(gate.client, given, (id) => fetchGrant(gate.client, id));
      if (!grant.ok) return grant;
      const unfit = checkFit(grant.value, placeOf(context, installation, true));
      if (unfit !== null) return failed(unfit);
      return success(await runFetched(context, gate, installation, grant.value, options));
    }),
  );

async function runFetched(
  context: CliContext,
  gate: Gate,
  installation: Installation,
  grant: GrantView,
  options: RunGrantOptions,
): Promise<Ending> {
  const { shell } = installation.settings;
  const waitMs = options.wait === true ? (options.timeout ?? shell.waitTimeoutMs) : null;
  if (isDoneByTool(grant.request.kind)) return awaitToolDecision(context, gate, grant, waitMs, shell.asyncExitCode);
  if (grant.state === 'approved')
    return finishAuthorization(context, installation, await redeem(gate, grant.request, grant), true);
  if (waitMs === null) return notApproved(grant, shell.asyncExitCode);
  return finishAuthorization(context, installation, await waitHere(context, gate, grant, waitMs), true);
}

/**
 * Reports the approval of a tool call or of a plan. Runs nothing, and does not use the grant. The agent then calls the tool again, or runs
 * the lines of the plan.
 * @param timeoutMs null: do not wait
 */
async function awaitToolDecision(
  context: CliContext,
  gate: Gate,
  grant: GrantView,
  timeoutMs: number | null,
  pendingStatus: number,
): Promise<Ending> {
  const approved = () => {
    const next =
      grant.request.kind === 'plan'
        ? `call the lines of the plan; apes plan show ${grant.id} lists the approved ones`
        : 'call the same tool again with exactly the same input';
    return answering({ grantId: grant.id, state: 'approved', next }, `approved: ${next} (grant ${grant.id})\n`);
  };
  if (grant.state === 'approved') return approved();
  if (timeoutMs === null) return notApproved(grant, pendingStatus);
  const again = `apes grants run ${grant.id} --wait`;
  return awaitDecision(context, gate.client, grant, { timeoutMs, again, pendingStatus }, approved);
}

const notApproved = (grant: GrantView, status: number): Ending =>
  failing(
    failure('pending', `grant ${grant.id} is not decided yet`, `wait for it: apes grants run ${grant.id} --wait`),
    status,
  );

function waitHere(context: CliContext, gate: Gate, grant: GrantView, timeoutMs: number): Promise<Authorization> {
  sayWaiting(context, grant);
  return waitAndRedeem(gate, grant.request, grant, {
    whyChanged: watchPlace(grant.request),
    timeoutMs,
    withdrawsOnCancel: false,
    ...waitReports(context),
  });
}

const placeOf = (context: CliContext, installation: Installation, isLater: boolean): ExecutionPlace => ({
  bash: installation.settings.shell.bash,
  argvZero: 'bash',
  environment: context.caller.environment,
  dist: context.dist,
  isLater,
});

/**
 * @param isLater whether another process filed the request. If so, the command gets the directory and the variables of the request
 */
export function finishAuthorization(
  context: CliContext,
  installation: Installation,
  outcome: Authorization,
  isLater: boolean,
): Ending {
  const { shell } = installation.settings;
  switch (outcome.kind) {
    case 'permitted': {
      const plan = planExecution(outcome.permit, placeOf(context, installation, isLater));
      if (!plan.ok) return failing(plan.failure);
      if (!shell.isQuiet) context.err(`apes: ${grantedText(outcome.permit, context.caller.environment)}\n`);
      return {
        kind: 'become',
        replacement: plan.value,
        isNoted: makeHoldable(context, installation, outcome.permit.grantId, context.caller.pid),
      };
    }
    case 'cancelled':
      return interrupted(context, outcome.grant);
    case 'refused':
      return failing(outcome.failure, outcome.failure.code === 'pending' ? shell.asyncExitCode : undefined);
    case 'pending':
      return notApproved(outcome.grant, shell.asyncExitCode);
  }
}
