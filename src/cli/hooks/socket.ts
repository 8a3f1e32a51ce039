/**
 * `apes hooks socket`: prints the path of the socket of the session in which it runs, for a plugin of an agent; without a session, nothing.
 */
import type { Command } from 'commander';
import type { CliContext } from '../context.ts';
import { done, type Ending } from '../ending.ts';

export function registerHooksSocket(hooks: Command, context: CliContext): void {
  hooks
    .command('socket')
    .description(
      "print the path of the private socket of the session in which this runs; our plugins connect to it to offer the agent's message API",
    )
    .action(
      context.settle(async (): Promise<Ending> => {
        const { sessionAround } = await import('../sessions/session-around.ts');
        const session = await sessionAround(context);
        if (session.ok && session.value !== null) context.out(`${session.value.socket}\n`);
        else if (!session.ok) context.err(`apes hooks socket: ${session.failure}\n`);
        return done;
      }),
    );
}
