/** A `command` argument as the gate reads `ape-shell -c COMMAND`: the same request, so that the same grants cover it. */
import type { Failure } from '../core/failure.ts';
import { failure } from '../core/failure.ts';
import { readInvocation } from '../core/invocation.ts';
import { failed, type Result } from '../core/result.ts';
import { type OneShotPlan, planOneShot } from '../shell/one-shot.ts';
import type { Workplace } from './conversation.ts';

export function planCommand(workplace: Workplace, command: string, cwd: string): Result<OneShotPlan, Failure> {
  // A command that begins like an option needs the word that ends the options, in bash too.
  const argv = /^[-+]/.test(command) ? ['-c', '--', command] : ['-c', command];
  const invocation = readInvocation(['bash', ...argv]);
  if (!invocation.ok) return invocation;
  if (invocation.value.kind !== 'command')
    return failed(failure('usage', 'the command reads like an option of bash', 'write it differently; nothing ran'));
  const plan = planOneShot(invocation.value, workplace.environment, cwd, workplace.dist);
  return plan.ok ? plan : failed(plan.failure.failure);
}
