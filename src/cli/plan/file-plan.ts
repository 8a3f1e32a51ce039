/**
 * `apes plan FILE|-`: reads a plan from a file or from standard input, and files a request for the plan. Then prints how to go on, or waits
 * for the decision.
 */
import type { Failure } from '../../core/failure.ts';
import { type PlanFile, readPlanFile } from '../../core/plan/plan-file.ts';
import { type Result, success } from '../../core/result.ts';
import { filePlan } from '../../gate/plan-request.ts';
import { systemClock } from '../../platform/clock.ts';
import { controlName } from '../../platform/own-program.ts';
import { currentDirectory } from '../../platform/surroundings.ts';
import { pendingBlock, pendingFacts, pendingJson } from '../../run/pending-block.ts';
import { readStandardInput, readTextFile } from '../../run/source-text.ts';
import type { CliContext } from '../context.ts';
import { type Ending, ended, failing } from '../ending.ts';
import { orFailing, withGate } from '../opened.ts';
import { awaitPlan } from './await-plan.ts';

/** @property timeout how long to wait, in ms (default: the setting `shell.wait_timeout`) */
interface FileOptions {
  readonly wait?: true;
  readonly timeout?: number;
  readonly reason?: string;
  readonly json?: true;
}

export async function filePlanHere(context: CliContext, file: string, options: FileOptions): Promise<Ending> {
  const plan = readPlan(file);
  if (!plan.ok) return failing(plan.failure);
  const cwd = currentDirectory();
  if (!cwd.ok) return failing(cwd.failure);
  const { reason = plan.value.reason } = options;
  return orFailing(
    withGate(context, async (gate, installation) => {
      const { environment } = context.caller;
      const filed = await filePlan(gate, { ...plan.value, reason }, { cwd: cwd.value, environment });
      if (!filed.ok) return filed;
      const { shell } = installation.settings;
      if (filed.value.kind === 'approved' || options.wait === true)
        return success(await awaitPlan(context, gate.client, installation, filed.value.grant, options.timeout));
      const show = options.json === true ? pendingJson : pendingBlock;
      const { grant, isNew } = filed.value;
      const control = controlName(environment, cwd.value, context.dist);
      context.out(show(grant, pendingFacts(shell, { isNew, nowMs: systemClock.nowMs(), control, assessment: null })));
      return success(ended(shell.asyncExitCode));
    }),
  );
}

function readPlan(file: string): Result<PlanFile, Failure> {
  const text = file === '-' ? readStandardInput() : readTextFile(file);
  return text.ok ? readPlanFile(text.value, systemClock.nowMs()) : text;
}
