/** `apes gate`: the resident gate of this user. `apes up` and the first `ape-shell -c` start it; it ends by itself when idle. */
import type { Register } from './context.ts';
import { done, type Ending, failing } from './ending.ts';

export const registerGate: Register = (program, context) => {
  program
    .command('gate')
    .description('answer `ape-shell -c` calls of this user without starting Node for each (starts by itself)')
    .option('--idle <duration>', 'end after this long without a call', '30m')
    .action(
      context.settle(async (options: { idle: string }): Promise<Ending> => {
        const { serveResidentGate } = await import('./gate-here.ts');
        const failure = await serveResidentGate(context, options.idle);
        return failure === null ? done : failing(failure);
      }),
    );
};
