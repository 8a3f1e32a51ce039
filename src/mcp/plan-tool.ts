/** The tool `plan`: files a plan, and says how to continue. The plan covers lines only after a human has approved the plan. */

import { readPlan } from '../core/plan/plan-file.ts';
import { filePlan } from '../gate/plan-request.ts';
import { systemClock } from '../platform/clock.ts';
import { pendingBlock, pendingFacts } from '../run/pending-block.ts';
import { failureAnswer, faultAnswer, grantFacts } from './answers.ts';
import { readDirectory, type ToolArguments } from './arguments.ts';
import type { ToolAnswer, Workplace } from './conversation.ts';

export async function planTool(workplace: Workplace, given: ToolArguments): Promise<ToolAnswer> {
  const cwd = readDirectory(given);
  if (!cwd.ok) return faultAnswer(cwd.failure);
  const read = readPlan(given['plan'], systemClock.nowMs());
  if (!read.ok) return faultAnswer(read.failure);
  const settings = await workplace.openSettings();
  if (!settings.ok) return failureAnswer(settings.failure);
  const gate = await workplace.openGate();
  if (!gate.ok) return failureAnswer(gate.failure);
  const filed = await filePlan(gate.value, read.value, { cwd: cwd.value, environment: workplace.environment });
  if (!filed.ok) return failureAnswer(filed.failure);
  const { grant, kind } = filed.value;
  if (kind === 'approved') {
    const message = `The plan is approved (grant ${grant.id}): run its lines.`;
    return { text: message, structure: { outcome: 'approved', grant: grantFacts(grant), message }, isError: false };
  }
  const { isNew } = filed.value;
  const others = { isNew, nowMs: systemClock.nowMs(), control: 'apes', assessment: null };
  const text = pendingBlock(grant, pendingFacts(settings.value.shell, others));
  const message = `${text}Not approved yet: ask grants_status for ${grant.id}, or file the same plan again.\n`;
  return {
    text: message,
    structure: { outcome: 'pending', grant: grantFacts(grant), isNew, message },
    isError: false,
  };
}
