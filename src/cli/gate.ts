/**
 * `apes gate`: runs the resident gate of this user. `apes up` and the first `ape-shell -c` start the gate. The gate ends when idle.
 */
import { newOption } from './commander.ts';
import type { Register } from './context.ts';
import { done, type Ending, failing } from './ending.ts';
import { timeoutOf } from './option-values.ts';

export const registerGate: Register = (program, context) => {
  program
    .command('gate')
    .description(
      'answer `ape-shell -c` calls of this user without starting Node for each call; this process starts by itself',
    )
    .addOption(
      newOption('--idle <duration>', 'end after this long without a call')
        .argParser(timeoutOf('--idle', '10m'))
        .default(30 * 60_000, '30m'),
    )
    .action(
      context.settle(async (options: { idle: number }): Promise<Ending> => {
        const { serveResidentGate } = await import('./gate-here.ts');
        const failure = await serveResidentGate(context, options.idle);
        return failure === null ? done : failing(failure);
      }),
    );
};
