/**
 * `apes hooks socket`: prints the socket path of the current session, for a plugin of an agent. If this process is in no session, the
 * command prints nothing. With `--json`, the command then prints a path of null.
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
        // The status is 0 even on failure, because a plugin goes on without a session.
        if (!session.ok) return failing(failure('system', session.failure.message), 0);
        const path = session.value?.socket ?? null;
        return answering({ path }, path === null ? '' : `${path}\n`);
      }),
    );
}
