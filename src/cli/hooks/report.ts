/** `apes hooks report HARNESS [EVENT]`: a harness runs this command as a hook. The command decides nothing, and ends within seconds. */
import type { Command } from 'commander';
import type { CliContext } from '../context.ts';
import { done, type Ending } from '../ending.ts';

export function registerHooksReport(hooks: Command, context: CliContext): void {
  hooks
    .command('report <harness> [event]')
    .description("read a hook's event on standard input and send it to the session; always exits 0, prints nothing")
    .action(
      context.settle(async (harness: string, event: string | undefined): Promise<Ending> => {
        const { reportHere } = await import('./report-here.ts');
        await reportHere(context, harness, event ?? null);
        return done;
      }),
    );
}
