/**
 * `apes hooks socket`: prints the path of the socket of the session in which it runs, for a plugin of an agent. Without a session it prints
 * nothing; with `--json` the path is then null.
 */
import type { Command } from 'commander';
import { failure } from '../../core/failure.ts';
import type { CliContext } from '../context.ts';
import { answering, type Ending, failing } from '../ending.ts';

export function registerHooksSocket(hooks: Command, context: CliContext): void {
  hooks
    .command('socket')
    .description(
      "print the path of the private socket of the session in which this runs; our plugins connect to it to offer the agent's message API",
    )
    .option('--json', 'one JSON object')
    .action(
      context.settle(async (): Promise<Ending> => {
        const { sessionAround } = await import('../sessions/session-around.ts');
        const session = await sessionAround(context);
        // The status is 0 all the same: a plugin goes on without a session.
        if (!session.ok) return failing(failure('system', session.failure.message), 0);
        const path = session.value?.socket ?? null;
        return answering({ path }, path === null ? '' : `${path}\n`);
      }),
    );
}
