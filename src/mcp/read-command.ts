/**
 * Reads a `command` argument in the same way as `ape-shell -c COMMAND`. The request is the same in both cases. So the same grants cover the
 * request.
 */
import type { Failure } from '../core/failure.ts';
import { failure, nothingRan } from '../core/failure.ts';
import { readInvocation } from '../core/grant/invocation.ts';
import type { ExecutionRequest } from '../core/grant/request.ts';
import { failed, type Result, success } from '../core/result.ts';
import { planOneShot } from '../run/one-shot.ts';
import type { Workplace } from './conversation.ts';

/**
 * The kinds of commands, as in `OneShotPlan`, but without `own-hook`:
 * - `nothing`: the text is blank
 * - `leave`: the command only leaves the shell
 * - `self-control`: the command calls our own `apes`; `args` are the words after `apes`
 * - `ask`: the gate has to decide
 */
export type CommandPlan =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'leave'; readonly status: number }
  | { readonly kind: 'self-control'; readonly args: readonly string[] }
  | { readonly kind: 'ask'; readonly request: ExecutionRequest };

/**
 * Fails if the command is a line with which a harness calls our hooks, or if `planOneShot` fails.
 * @param cwd the real directory of the command
 */
export function planCommand(workplace: Workplace, command: string, cwd: string): Result<CommandPlan, Failure> {
  // bash reads a command that begins with `-` or `+` as an option. `--` ends the options.
  const argv = /^[-+]/.test(command) ? ['-c', '--', command] : ['-c', command];
  const invocation = readInvocation(['bash', ...argv]);
  if (!invocation.ok) return invocation;
  if (invocation.value.kind !== 'command')
    return failed(
      nothingRan(failure('usage', 'the command reads like an option of bash', 'write the command differently')),
    );
  const plan = planOneShot(invocation.value, workplace.environment, cwd, workplace.dist);
  if (!plan.ok) return failed(plan.failure.failure);
  return plan.value.kind === 'own-hook'
    ? failed(
        nothingRan(
          failure('usage', 'the command is the line with which a harness calls our hook', 'run another command'),
        ),
      )
    : success(plan.value);
}
